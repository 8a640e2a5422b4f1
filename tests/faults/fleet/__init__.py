"""A whole fleet on one machine: each of its machines is what a kill of all its processes ends."""
