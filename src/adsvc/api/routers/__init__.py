"""One router a resource; they never import each other."""
