"""adsvc: an asynchronous, typed, OpenAPI-first HTTP service for classified ads."""

# Between releases that of the next one, as PEP 440 writes it: 0.4.0.dev0.
__version__ = "0.4.0.dev0"

# The same as Semantic Versioning writes it, which is what clients read: 0.4.0-dev.
API_VERSION = __version__.replace(".dev0", "-dev")
