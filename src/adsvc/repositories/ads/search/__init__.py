"""Searches: access paths, their costs and their statements."""
