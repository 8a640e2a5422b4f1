"""The version of the interface, which is that of this package."""

__version__ = "0.4.0.dev0"
