"""The work beside requests, as operators run and see it."""
