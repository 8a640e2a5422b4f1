"""Whether searches find what is meant: queries over two sites, with what is good and acceptable."""
