"""The embedded database, against real servers."""
