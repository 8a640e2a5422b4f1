"""Accounts: credentials, sessions, profiles, limits on attempts."""
