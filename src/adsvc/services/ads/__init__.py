"""Ads: written, shown, listed and counted; their pictures, and their life."""
