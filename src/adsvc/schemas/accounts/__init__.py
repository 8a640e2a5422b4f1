"""The records of accounts and of how people come into them."""
