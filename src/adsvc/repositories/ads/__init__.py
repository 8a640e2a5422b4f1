"""SQL of ads: rows, the projection, filters, orders, search, listings."""
