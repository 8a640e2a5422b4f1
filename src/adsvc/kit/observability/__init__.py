"""Observability: the log, the access log, and traces."""
