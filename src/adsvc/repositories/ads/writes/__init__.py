"""Changes of ads, in one statement each where many ask for them."""
