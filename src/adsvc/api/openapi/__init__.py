"""The OpenAPI document, made from what the routers declare."""
