"""Ads, what belongs to them, and the categories that they are of."""
