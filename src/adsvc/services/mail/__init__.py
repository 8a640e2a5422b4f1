"""Mails: their letters and languages, and how they are sent."""
