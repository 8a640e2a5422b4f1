"""Ads: writing, reading, lists, counts, pictures, and the steps of their status."""
