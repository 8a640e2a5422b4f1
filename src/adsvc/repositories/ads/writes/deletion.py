"""An ad's end in one statement: caller, right, deletion, trail and the names of its pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from adsvc.db.read_pool import Writer
from adsvc.repositories.accounts.rights import (
    CALLER,
    Caller,
    Standing,
    is_author_or_admin,
    standing_of,
)
from adsvc.repositories.ads.visibility import hidden
from adsvc.repositories.ads.writes.versions import as_expected
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.versions import ANYTHING, Expected


@dataclass(frozen=True, slots=True)
class AdDeleted:
    standing: Standing
    owner_id: int | None = None
    # The names of the pictures that went with the ad; None if it was not deleted. Of pictures that
    # came while the statement waited, only the first may be among them. Triggers queue all of them.
    images: Sequence[str] | None = None


@lru_cache
def _delete_sql(*, expected: bool) -> str:
    """Parameters: caller's account and session, ad, trail, and with `expected` its versions."""
    may_change = is_author_or_admin("found")
    return f"""
        WITH caller AS ({CALLER}), gone AS (
            DELETE FROM ads AS found USING caller
            WHERE found.id = $3 AND {may_change} {as_expected("found", 7) if expected else ""}
            RETURNING found.id, found.author_id, found.image
        ), trail AS (
            INSERT INTO audit_events ({TRAIL_COLUMNS})
            SELECT $4::text, caller.id::text, gone.id::text, gone.id, gone.author_id,
                $5::text, $6::text
            FROM gone JOIN caller ON caller.id <> gone.author_id
        )
        SELECT found.author_id AS owner_id, {hidden("found")}, {may_change} AS may_change, (
            SELECT array_append(
                ARRAY(SELECT name FROM ad_images WHERE ad_id = $3 AND name <> gone.image),
                gone.image
            ) FROM gone
        ) AS images
        FROM caller LEFT JOIN ads AS found ON found.id = $3
    """


class AdDeletionRepository:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def delete(
        self, caller: Caller, ad_id: int, trail: Trail, *, expected: Expected = ANYTHING
    ) -> AdDeleted:
        """A deletion of somebody else's ad is written into the trail along with it."""
        row = await self._writer.fetchrow(
            _delete_sql(expected=expected.versions is not None),
            caller.user_id, caller.session_id, ad_id, *trail,
            *(() if expected.versions is None else (expected.versions,)),
        )  # fmt: skip
        if row is None:
            return AdDeleted(standing_of(row))
        return AdDeleted(standing_of(row), row["owner_id"], row["images"])
