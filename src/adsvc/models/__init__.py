"""The tables, as SQLAlchemy classes. (`schemas` are the records of the interface.)

All of them are known once one is imported.
"""

from adsvc.models import (
    accounts,
    ads,
    conversations,
    events,
    following,
    imports,
    moderation,
    operation,
)

__all__ = [
    "accounts",
    "ads",
    "conversations",
    "events",
    "following",
    "imports",
    "moderation",
    "operation",
]
