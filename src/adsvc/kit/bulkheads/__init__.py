"""Limits on load: bulkheads for kinds of work, shares of clients, uploads, the disks' reserves."""
