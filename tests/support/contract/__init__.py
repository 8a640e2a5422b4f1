"""Checks of responses against the OpenAPI document."""
