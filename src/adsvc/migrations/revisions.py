"""The revisions that this version knows, and the schemas that it can work on."""

import re
from functools import cache
from pathlib import Path

REVISION = re.compile(r'^revision = "(\d{4})"$', re.MULTILINE)

# The first migration makes the schema of the last version before it, which is at this revision.
BASELINE, REPLACED_HEAD = "0100", "0070"
REPLACED_VERSION = "0.3.0"


def directory() -> Path:
    """Where the migrations are, in an installed wheel or in a checkout."""
    packaged = Path(__file__).parents[1] / "_alembic"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "alembic"


@cache
def known() -> frozenset[str]:
    """Read from file names: Alembic would import all migrations, and itself, into each process."""
    files = (directory() / "versions").glob("*.py")
    return frozenset(found for file in files for found in REVISION.findall(file.read_text()))


@cache
def head() -> str:
    """The newest revision that this version of the service knows; they are numbered."""
    return max(known())


def knows(revision: str) -> bool:
    """Whether a schema at that revision can be migrated to this version's."""
    return revision in known() or revision == REPLACED_HEAD


def is_too_old(revision: str) -> bool:
    """Whether only an earlier version can migrate a schema at that revision."""
    return revision < BASELINE and revision != REPLACED_HEAD


def serves(revision: str | None, oldest_head: str | None) -> bool:
    """Whether this version can work on a schema at that revision.

    It can at its own. At a newer one it can if the schema allows it: the schema names the head of
    the oldest version that can work on it.
    """
    if revision is None or revision <= head():
        return revision == head()
    return oldest_head is not None and oldest_head <= head()


def remedy(revision: str | None) -> str:
    """What an operator does about a schema that this version does not serve."""
    if revision is None or knows(revision):
        return "Run: adsvc migrate"
    if is_too_old(revision):
        return f"Install {REPLACED_VERSION} first, which can migrate it."
    return "A newer version made it: install that one here too."
