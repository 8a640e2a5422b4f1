"""The log, the access log, metrics, traces, and counts of the work beside requests."""
