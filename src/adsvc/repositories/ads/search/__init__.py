"""Searches: what they cost, their statements, and which of them is run."""
