"""Ads and what belongs to them."""
