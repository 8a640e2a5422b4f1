"""What is reported, and what was decided about it."""
