"""Whose request it is and what they may change, as parts of statements.

A statement that changes something finds out both for itself, at the moment of the change.
"""

from dataclasses import dataclass
from typing import Protocol

from adsvc.db.read_pool import Record


class Caller(Protocol):
    @property
    def user_id(self) -> int: ...
    # None for a caller who sent user name and password.
    @property
    def session_id(self) -> int | None: ...


NOT_SUSPENDED = "(users.suspended_until IS NULL OR users.suspended_until <= now())"

# The account $1, if it is there, is not suspended, and its session $2 has not ended.
CALLER = f"""
    SELECT users.id, users.role, users.first_name, users.image FROM users
    WHERE users.id = $1 AND {NOT_SUSPENDED} AND (
        $2::bigint IS NULL
        OR EXISTS (SELECT FROM sessions WHERE sessions.id = $2 AND sessions.user_id = users.id)
    )
"""  # noqa: S608 - a condition of this module


def is_author_or_admin(resource: str) -> str:
    """As `policies.is_author_or_admin`, of the row `caller` and the resource's."""
    return f"(caller.role = 'ADMIN' OR caller.id = {resource}.author_id)"


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands between a caller and a change, in the order in which it is refused."""

    is_known: bool
    finds_ad: bool = False
    # The status of an ad that the caller cannot see.
    hidden: str | None = None
    may_change: bool = False


UNKNOWN = Standing(is_known=False)


def standing_of(row: Record | None) -> Standing:
    if row is None:
        return UNKNOWN
    return Standing(
        is_known=True,
        finds_ad=row["owner_id"] is not None,
        hidden=row["hidden"],
        may_change=bool(row["may_change"]),
    )
