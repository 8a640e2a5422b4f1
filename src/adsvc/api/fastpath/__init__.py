"""What answers a request before the web framework does."""
