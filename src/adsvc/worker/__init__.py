"""What is done beside requests: the outbox, and the regular jobs."""
