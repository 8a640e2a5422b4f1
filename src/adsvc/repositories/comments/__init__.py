"""SQL of comments: rows, pages as JSON, changes in one statement."""
