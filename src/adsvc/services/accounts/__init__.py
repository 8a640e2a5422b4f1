"""Decisions about accounts: credentials, sessions, profiles, limits on attempts."""
