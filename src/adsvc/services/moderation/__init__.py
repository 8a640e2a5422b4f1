"""Reports, decisions about them, and suspended accounts."""
