"""The interface as FastAPI serves it, and the answers that are given before it.

`server` speaks the protocol, and `main` puts the two together; nothing else knows of HTTP.
"""
