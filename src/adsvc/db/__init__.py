"""PostgreSQL: transactions and autocommit sessions, a read pool, a listener, and migrations."""
