"""Changes of ads in one statement each: caller, right, change, trail and record."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import asyncpg

from adsvc.db.read_pool import Reader, Writer
from adsvc.errors import UnknownCategoryError
from adsvc.repositories.accounts.rights import (
    CALLER,
    Caller,
    Standing,
    is_author_or_admin,
    standing_of,
)
from adsvc.repositories.ads.projection import In, members_sql
from adsvc.repositories.ads.visibility import hidden, visible
from adsvc.repositories.ads.writes.versions import (
    CHANGED_COLUMNS,
    CURRENT,
    ad_version_sql,
    as_expected,
)
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.repositories.versions import TOUCHED, written_of
from adsvc.versions import ANYTHING, Expected, Written

# Parameters: the caller's account and session, the ad, whether everybody may change it.
MAY_CHANGE = f"(($4::bool AND {visible('found')}) OR {is_author_or_admin('found')})"

STANDING = f"""
    SELECT found.author_id AS owner_id, {hidden("found")}, {MAY_CHANGE} AS may_change
    FROM ({CALLER}) AS caller LEFT JOIN ads AS found ON found.id = $3
"""

DESCRIBED = "SELECT category_id, attributes::text FROM ads WHERE id = $1"

AS_DESCRIBED = "AND found.category_id IS NOT DISTINCT FROM ${}::bigint AND found.attributes = ${}"

CATEGORY_EXISTS = "fk_ads_category_id_categories"

# The number of the first column's parameter, behind those that every change has.
FIRST_COLUMN = 8


@dataclass(frozen=True, slots=True)
class AdChange:
    standing: Standing
    owner_id: int | None = None
    # The ad as it is now; None if it was not changed.
    written: Written | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """An ad's category and attributes."""

    category_id: int | None = None
    # As the database writes it.
    json: str = "{}"

    @property
    def attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.json)
        return found


@lru_cache
def update_sql(columns: tuple[str, ...], *, described: bool = False, expected: bool = False) -> str:
    """Sets only what is sent: the words of a title that stays are not indexed anew.

    With `described` two more parameters at the end say how the ad has to be described still. With
    `expected` one more behind them has the versions of which its own must be one.
    """
    after = len(columns) + FIRST_COLUMN
    unchanged = AS_DESCRIBED.format(after, after + 1) if described else ""
    if expected:
        unchanged += " " + as_expected("found", after + 2 * described)
    values = ", ".join(
        f"{column} = ${number}" for number, column in enumerate(columns, FIRST_COLUMN)
    )
    return f"""
        WITH caller AS ({CALLER}), changed AS (
            UPDATE ads AS found SET {values}, {TOUCHED.format(row="found")} FROM caller
            WHERE found.id = $3 AND {MAY_CHANGE} {unchanged}
            RETURNING {CHANGED_COLUMNS}
        ), trail AS (
            INSERT INTO audit_events ({TRAIL_COLUMNS})
            SELECT $5::text, caller.id::text, changed.id::text, changed.id, changed.author_id,
                $6::text, $7::text
            FROM changed JOIN caller ON caller.id <> changed.author_id
        )
        SELECT found.author_id AS owner_id, {hidden("found")}, {MAY_CHANGE} AS may_change, (
            SELECT row_to_json(ad)::text
            FROM (SELECT {members_sql(In.AD, ads="changed")} FROM changed) AS ad
        ) AS record, (SELECT {ad_version_sql("changed")} FROM changed) AS version
        FROM caller LEFT JOIN ads AS found ON found.id = $3
    """


class AdChangeRepository:
    """`everybody` says whether anybody with an account may change every ad."""

    def __init__(self, reader: Reader, writer: Writer, *, everybody: bool) -> None:
        self._reader = reader
        self._writer = writer
        self._everybody = everybody

    async def standing(self, caller: Caller, ad_id: int) -> Standing:
        row = await self._reader.fetchrow(
            STANDING, caller.user_id, caller.session_id, ad_id, self._everybody, keep_plan=True
        )
        return standing_of(row)

    async def version(self, caller: Caller, ad_id: int) -> str | None:
        """As it is now; None if there is no such ad, or the caller is not known any more."""
        row = await self._reader.fetchrow(
            CURRENT, caller.user_id, caller.session_id, ad_id, keep_plan=True
        )
        return row["version"] if row else None

    async def described(self, ad_id: int) -> Described | None:
        row = await self._reader.fetchrow(DESCRIBED, ad_id, keep_plan=True)
        return None if row is None else Described(row["category_id"], row["attributes"])

    async def update(
        self,
        caller: Caller,
        ad_id: int,
        values: Mapping[str, object],
        trail: Trail,
        *,
        before: Described | None = None,
        expected: Expected = ANYTHING,
    ) -> AdChange:
        """A change of somebody else's ad is written into the trail along with it.

        An ad of another version than expected is not changed, nor, with `before`, one that is
        described otherwise by now. A category that has gone meanwhile is an `UnknownCategoryError`.
        """
        sql = update_sql(
            tuple(values), described=before is not None, expected=expected.versions is not None
        )
        sent = [json.dumps(v) if isinstance(v, dict) else v for v in values.values()]
        try:
            row = await self._writer.fetchrow(
                sql, caller.user_id, caller.session_id, ad_id, self._everybody, *trail, *sent,
                *((before.category_id, before.json) if before else ()),
                *(() if expected.versions is None else (expected.versions,)),
            )  # fmt: skip
        except asyncpg.ForeignKeyViolationError as error:
            if error.constraint_name != CATEGORY_EXISTS:
                raise
            raise UnknownCategoryError from error
        if row is None:
            return AdChange(standing_of(row))
        return AdChange(standing_of(row), row["owner_id"], written_of(row))
