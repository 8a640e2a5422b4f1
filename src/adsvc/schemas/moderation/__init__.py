"""The records of reports, cases, decisions and accounts."""
