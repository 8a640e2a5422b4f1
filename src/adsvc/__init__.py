"""adsvc: an asynchronous, typed, OpenAPI-first HTTP service for classified ads."""

__version__ = "0.2.0"
