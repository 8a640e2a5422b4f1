"""Pictures, good and bad."""
