"""SQL of reports, cases, decisions and suspended accounts."""
