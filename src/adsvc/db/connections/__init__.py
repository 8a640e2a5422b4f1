"""Connections to PostgreSQL: what they are, to which server they go, and how they are kept."""
