"""Reports, what is decided about them, and accounts that are suspended."""
