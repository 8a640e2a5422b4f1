"""Caches of a process: responses, tokens and credentials, and what invalidates them."""
