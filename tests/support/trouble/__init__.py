"""Faults, for as long as a test needs them."""
