"""adsvc: an asynchronous, typed, OpenAPI-first HTTP service for classified ads."""

from importlib.metadata import version

__version__ = version("adsvc")
