"""Dependencies of operations: the caller, access, bodies, uploads, and endpoints."""
