"""Accounts, their sessions, and what they may do."""
