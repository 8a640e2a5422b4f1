"""Work beside requests: the outbox, and regular jobs."""
