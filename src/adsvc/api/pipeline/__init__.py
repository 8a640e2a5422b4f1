"""From the connection to the function of an operation: cache, overload, dispatch."""
