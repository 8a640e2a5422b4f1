"""What stands in the way, for as long as a test needs."""
