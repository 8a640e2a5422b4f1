"""SQL of ads: the projection, filters, orders, listings, facets, search, places, writes."""
