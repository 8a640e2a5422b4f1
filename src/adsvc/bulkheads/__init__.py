"""How much of one kind of work, of one client's or of the disk's is taken on at once."""
