"""Versions (`adsvc.versions`) as parts of statements.

A statement that changes a row compares the version in the condition of the change itself. Where it
had to wait for another change, PostgreSQL judges the condition again, of the row as that left it.
"""

from adsvc.db.read_pool import Row
from adsvc.versions import DIGEST_BYTES, Written

# Each change is told from the one before it by this alone, whatever else it changes: the interface
# tells milliseconds, and clocks are set back. A statement that waited for another sees the row as
# the other left it, but the rows of other tables, such as its pictures, as they were.
TOUCHED = "updated_at = greatest(now(), {row}.updated_at + interval '1 millisecond')"


def version_sql(json: str) -> str:
    """The version of a representation that the database wrote."""
    digest = f"substring(sha256(convert_to({json}::text, 'UTF8')) FOR {DIGEST_BYTES})"
    return f"encode({digest}, 'hex')"


def written_of(row: Row) -> Written | None:
    """Of the columns `record` and `version`; None if nothing was written."""
    record = row["record"]
    return None if record is None else Written(record, row["version"])
