"""Reports, the queue of cases, decisions, and accounts as administrators see them."""
