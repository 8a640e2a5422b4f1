"""The HTTP server: uvicorn, with deadlines and limits for clients that it would trust.

A reverse proxy usually enforces these. The service does not depend on one.
"""
