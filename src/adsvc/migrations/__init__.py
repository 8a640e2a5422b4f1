"""Migrations to the current schema, from a checkout and from an installed wheel alike."""

from adsvc.migrations.revisions import head, knows, remedy, serves
from adsvc.migrations.running import (
    SEARCH_LANGUAGE,
    Manner,
    MigrationBlockedError,
    SchemaTooOldError,
    upgrade,
)

__all__ = [
    "SEARCH_LANGUAGE",
    "Manner",
    "MigrationBlockedError",
    "SchemaTooOldError",
    "head",
    "knows",
    "remedy",
    "serves",
    "upgrade",
]
