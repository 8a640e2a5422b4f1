"""The outbox: written along with changes, and worked off by workers."""
