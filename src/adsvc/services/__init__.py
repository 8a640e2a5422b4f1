"""Decisions: a module for each resource, or a package where it takes several."""
