"""What keeps an installation safe: backups, and looking at what is wrong."""
