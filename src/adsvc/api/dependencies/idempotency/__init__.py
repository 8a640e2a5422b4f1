"""Requests with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07)."""
