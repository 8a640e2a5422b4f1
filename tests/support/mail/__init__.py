"""Mail as it is received."""
