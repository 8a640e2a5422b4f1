"""What operating the service asks the database: backups, jobs, figures, the schema, the server."""
