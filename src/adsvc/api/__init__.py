"""The HTTP interface: FastAPI's routers, and a fast path before them.

`adsvc.http` speaks the protocol, and `adsvc.main` connects the two.
"""
