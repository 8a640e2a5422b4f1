"""The rules of each resource: a module for each, or a package where it takes several."""
