"""Dependencies of operations: the caller, access, bodies, uploads, and the one write path."""
