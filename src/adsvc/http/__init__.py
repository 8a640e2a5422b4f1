"""The HTTP server: uvicorn, which trusts its clients, made to trust them less.

That requests come in reasonable time and size a reverse proxy usually sees to; here it holds
without one.
"""
