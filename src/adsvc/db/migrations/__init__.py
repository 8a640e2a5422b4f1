"""Migrations to the current schema, from a checkout and from an installed wheel alike."""

from adsvc.db.migrations.revisions import head, knows, remedy, serves
from adsvc.db.migrations.running import (
    SEARCH_LANGUAGE,
    Manner,
    MigrationBlockedError,
    downgrade,
    upgrade,
)

__all__ = [
    "SEARCH_LANGUAGE",
    "Manner",
    "MigrationBlockedError",
    "downgrade",
    "head",
    "knows",
    "remedy",
    "serves",
    "upgrade",
]
