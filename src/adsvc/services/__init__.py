"""Decisions: one module a resource, plain async functions."""
