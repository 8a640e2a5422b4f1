"""The fast path: it answers some requests before the web framework."""
