"""Mail addresses that are proved, and forgotten passwords."""
