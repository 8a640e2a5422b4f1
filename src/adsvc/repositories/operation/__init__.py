"""SQL of operation: backups, jobs, figures, the schema, the server."""
