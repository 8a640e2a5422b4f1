"""Refusals as problem documents (RFC 9457)."""
