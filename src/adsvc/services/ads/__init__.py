"""Ads: written, shown, listed and counted."""
