"""Who and what there is when a test begins, and what there is after it."""
