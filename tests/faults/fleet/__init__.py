"""A fleet on one machine: each of its machines is a group of processes that are killed together."""
