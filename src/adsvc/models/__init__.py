"""The tables, as SQLAlchemy classes. (`schemas` are the records of the interface.)

A table has one if an expression names it, if its rows go with those of an ad or an account
(`repositories.deletions`), or if its triggers announce what a change invalidates. A class has the
columns, their types and foreign keys. Everything else, and the other tables, is in
`alembic/schema.sql` alone.

All of them are known once one is imported.
"""

from adsvc.models import accounts, ads, conversations, following, moderation, operation, webhooks

__all__ = [
    "accounts",
    "ads",
    "conversations",
    "following",
    "imports",
    "moderation",
    "operation",
    "webhooks",
]
