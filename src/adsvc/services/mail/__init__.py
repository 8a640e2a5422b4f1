"""Mails: what they say, in which language, and how they go out."""
