"""The log, the access log and the audit trail."""
