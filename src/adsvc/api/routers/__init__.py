"""One router for each resource. Routers never import each other."""
