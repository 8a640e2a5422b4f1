"""The tables that expressions name, as SQLAlchemy classes with columns, types and foreign keys.

Everything else, and the other tables, is in `alembic/schema.sql` alone. (`schemas` are the records
of the interface.)
"""
