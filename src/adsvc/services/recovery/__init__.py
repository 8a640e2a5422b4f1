"""Mail addresses that somebody proves to read, and passwords that are replaced by that proof."""
