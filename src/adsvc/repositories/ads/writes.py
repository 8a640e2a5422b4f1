"""Changes of ads, each in one statement: access, version, change, audit trail, record."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import asyncpg
from sqlalchemy import Boolean, func, literal_column, select
from sqlalchemy.exc import IntegrityError

from adsvc.enums import AdStatus, PriceType
from adsvc.errors import ExternalIdTakenError, UnknownCategoryError
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.faults import violated_constraint
from adsvc.kit.db.statements import Statements
from adsvc.kit.records import ANYTHING, Expected, Written
from adsvc.models.ads import SHOWN_SQL, UNFINISHED_SQL, Ad
from adsvc.repositories.accounts.callers import (
    SELECT_CALLER,
    AccessCheck,
    Caller,
    access_check_of,
    is_author_or_admin_sql,
)
from adsvc.repositories.ads.projection import (
    AD_COLUMNS,
    BUMP_UPDATED_AT,
    RecordKind,
    ad_columns,
    answer_sql,
    hidden,
    members_sql,
    version_sql,
    visible,
    written_of,
)
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.repositories.deletions import keeping_sql

# The columns of a changed row, named `found`, that its record and version need.
UPDATED_COLUMNS = ", ".join(
    f"found.{column}" for column in dict.fromkeys((*AD_COLUMNS, *ad_columns(RecordKind.SEEN)))
)


def ad_version_sql(ads: str) -> str:
    """The version of the row of that name; the statement has a row `caller`."""
    return f"""(
        SELECT {version_sql("row_to_json(ad)")} FROM (
            SELECT {members_sql(RecordKind.SEEN, ads=ads, users="author")}
            FROM users AS author WHERE author.id = {ads}.author_id
        ) AS ad
    )"""


def as_expected(ads: str, parameter: int) -> str:
    """Extends a condition: the row has one of the expected versions."""
    return f"AND {ad_version_sql(ads)} = ANY(${parameter}::text[])"


# Parameters: the caller's account and session, the ad.
SELECT_VERSION = f"""
    SELECT {ad_version_sql("found")} AS version
    FROM ads AS found CROSS JOIN ({SELECT_CALLER}) AS caller WHERE found.id = $3
"""


# Parameters: the caller's account and session, the ad, whether every account may change it.
MAY_CHANGE = f"(($4::bool AND {visible('found')}) OR {is_author_or_admin_sql('found')})"

ACCESS_CHECK = f"""
    SELECT found.author_id AS owner_id, {hidden("found")}, {MAY_CHANGE} AS may_change
    FROM ({SELECT_CALLER}) AS caller LEFT JOIN ads AS found ON found.id = $3
"""

# A price of 0 of these types is none: forms send it where they have no field for a price.
HAS_PRICE = f"price > 0 OR price_type NOT IN ('{PriceType.FREE}', '{PriceType.ON_REQUEST}')"
SELECT_CLASSIFICATION = f"""
    SELECT category_id, attributes::text, status, {HAS_PRICE} AS has_price FROM ads WHERE id = $1
"""
AS_CLASSIFIED = "AND found.category_id IS NOT DISTINCT FROM ${}::bigint AND found.attributes = ${}"
CATEGORY_EXISTS = "fk_ads_category_id_categories"
EXTERNAL_ID_IS_UNIQUE = "ix_ads_author_id_external_id"

# The number of the first column's parameter, after those of every change.
FIRST_COLUMN = 8


@dataclass(frozen=True, slots=True)
class AdUpdated:
    access: AccessCheck
    owner_id: int | None = None
    # The ad as it is now; None if it was not changed.
    written: Written | None = None
    category_id: int | None = None


@dataclass(frozen=True, slots=True)
class Classification:
    """An ad's category and attributes."""

    category_id: int | None = None
    # The attributes as the database's JSON.
    json: str = "{}"
    # A draft may be unfinished.
    is_draft: bool = False
    # Whether the ad keeps its price if it becomes fixed or negotiable.
    has_price: bool = True

    @property
    def attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.json)
        return found


class Unfinished(NamedTuple):
    """An ad that no one but its author and administrators has ever seen, as it is now."""

    # Changes with every change of the ad: the milliseconds of `updated_at`.
    revision: int
    title: str
    description: str
    is_priced: bool
    images: int
    classification: Classification


# The ad has never been shown, as its history says.
SELECT_UNFINISHED = f"""
    SELECT (extract(epoch FROM updated_at) * 1000)::bigint AS revision, title, description,
        is_priced OR price_type IN ('{PriceType.FREE}', '{PriceType.ON_REQUEST}') AS is_priced,
        image_count, category_id, attributes::text
    FROM ads WHERE id = $1 AND status IN ('{AdStatus.DRAFT}', '{AdStatus.WITHDRAWN}')
        AND NOT EXISTS (SELECT FROM ad_events WHERE ad_id = ads.id AND to_status IN ({SHOWN_SQL}))
"""


@lru_cache
def update_sql(
    columns: tuple[str, ...],
    *,
    classified: bool = False,
    expected: bool = False,
    only_draft: bool = False,
) -> str:
    """Sets only the columns that are sent, so that an unchanged title is not indexed again.

    With `only_draft`, an ad that is no draft is not changed.

    With `classified`, two more parameters at the end are the classification that the ad must still
    have. With `expected`, one more after them has the versions that it may have.
    """
    after = len(columns) + FIRST_COLUMN
    unchanged = AS_CLASSIFIED.format(after, after + 1) if classified else ""
    if expected:
        unchanged += " " + as_expected("found", after + 2 * classified)
    if only_draft:
        unchanged += f" AND found.status = '{AdStatus.DRAFT}'"
    values = ", ".join(
        f"{column} = ${number}" for number, column in enumerate(columns, FIRST_COLUMN)
    )
    return f"""
        WITH caller AS ({SELECT_CALLER}), changed AS (
            UPDATE ads AS found SET {values}, {BUMP_UPDATED_AT.format(row="found")} FROM caller
            WHERE found.id = $3 AND {MAY_CHANGE} {unchanged}
            RETURNING {UPDATED_COLUMNS}
        ), trail AS (
            INSERT INTO audit_events ({TRAIL_COLUMNS})
            SELECT $5::text, caller.id::text, changed.id::text, changed.id, changed.author_id,
                $6::text, $7::text
            FROM changed JOIN caller ON caller.id <> changed.author_id
        )
        SELECT found.author_id AS owner_id, {hidden("found")}, {MAY_CHANGE} AS may_change,
            (SELECT {answer_sql("changed")} FROM changed) AS record,
            (SELECT {ad_version_sql("changed")} FROM changed) AS version,
            (SELECT category_id FROM changed)
        FROM caller LEFT JOIN ads AS found ON found.id = $3
    """


async def check_access(
    db: Statements, caller: Caller, ad_id: int, *, everybody: bool
) -> AccessCheck:
    """`everybody` says whether every account may change every ad."""
    row = await db.fetchrow(
        ACCESS_CHECK, caller.user_id, caller.session_id, ad_id, everybody, keep_plan=True
    )
    return access_check_of(row)


async def version(db: Statements, caller: Caller, ad_id: int) -> str | None:
    """The version now; None if there is no such ad, or the caller's session has ended."""
    row = await db.fetchrow(
        SELECT_VERSION, caller.user_id, caller.session_id, ad_id, keep_plan=True
    )
    return row["version"] if row else None


async def classification(db: Statements, ad_id: int) -> Classification | None:
    row = await db.fetchrow(SELECT_CLASSIFICATION, ad_id, keep_plan=True)
    if row is None:
        return None
    is_draft = row["status"] == AdStatus.DRAFT
    return Classification(row["category_id"], row["attributes"], is_draft, row["has_price"])


async def unfinished(db: Statements, ad_id: int) -> Unfinished | None:
    """None if it has been shown, or is not there."""
    row = await db.fetchrow(SELECT_UNFINISHED, ad_id, keep_plan=True)
    if row is None:
        return None
    classification = Classification(row["category_id"], row["attributes"])
    text = row["title"], row["description"]
    return Unfinished(row["revision"], *text, row["is_priced"], row["image_count"], classification)


async def update(
    db: Statements,
    caller: Caller,
    ad_id: int,
    values: Mapping[str, object],
    trail: Trail,
    *,
    everybody: bool,
    before: Classification | None = None,
    expected: Expected = ANYTHING,
) -> AdUpdated:
    """Changes the ad. A change of another account's ad is also written to the audit trail.

    An ad without an expected version is not changed, nor, with `before`, one whose
    classification has changed, or that is no draft any more. A category that was deleted is an
    `UnknownCategoryError`, an external id of another ad an `ExternalIdTakenError`.
    """
    sql = update_sql(
        tuple(values),
        classified=before is not None,
        expected=expected.versions is not None,
        only_draft=before is not None and before.is_draft,
    )
    key = caller.user_id, caller.session_id, ad_id
    sent = [json.dumps(v) if isinstance(v, dict) else v for v in values.values()]
    matched = (before.category_id, before.json) if before else ()
    try:
        row = await db.fetchrow(sql, *key, everybody, *trail, *sent, *matched, *expected.parameters)
    except asyncpg.ForeignKeyViolationError as error:
        if error.constraint_name != CATEGORY_EXISTS:
            raise
        raise UnknownCategoryError from error
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name != EXTERNAL_ID_IS_UNIQUE:
            raise
        raise ExternalIdTakenError from error
    if row is None:
        return AdUpdated(access_check_of(row))
    access = access_check_of(row)
    return AdUpdated(access, row["owner_id"], written_of(row), row["category_id"])


@dataclass(frozen=True, slots=True)
class AdDeleted:
    access: AccessCheck
    owner_id: int | None = None
    # The names of the deleted pictures; None if the ad was not deleted. If pictures were added
    # while the statement waited, only the first of them may be included. Triggers queue all of
    # them.
    images: Sequence[str] | None = None
    category_id: int | None = None


@lru_cache
def _delete_sql(*, expected: bool) -> str:
    """Parameters: caller's account and session, ad, trail, the days for which the deletion can be
    undone, and with `expected` its versions.
    """
    may_change = is_author_or_admin_sql("found")
    return f"""
        WITH caller AS ({SELECT_CALLER}), gone AS (
            DELETE FROM ads AS found USING caller
            WHERE found.id = $3 AND {may_change} {as_expected("found", 8) if expected else ""}
            RETURNING found.id, found.author_id, found.image, found.category_id, found.title
        ), deletion AS (
            INSERT INTO deletions (kind, target_id, owner_id, label, actor, ends_at)
            SELECT 'ad', gone.id, gone.author_id, gone.title, caller.id::text,
                now() + make_interval(days => $7::int)
            FROM gone CROSS JOIN caller WHERE $7::int > 0 RETURNING id
        ), {keeping_sql("ad", "$3")}, trail AS (
            INSERT INTO audit_events ({TRAIL_COLUMNS})
            SELECT $4::text, caller.id::text, gone.id::text, gone.id, gone.author_id,
                $5::text, $6::text
            FROM gone JOIN caller ON caller.id <> gone.author_id
        )
        SELECT found.author_id AS owner_id, {hidden("found")}, {may_change} AS may_change, (
            SELECT ARRAY(SELECT name FROM ad_images WHERE ad_id = $3 AND name <> gone.image)
                || array_remove(ARRAY[gone.image], '') FROM gone
        ) AS images, (SELECT category_id FROM gone)
        FROM caller LEFT JOIN ads AS found ON found.id = $3
    """


async def delete_ad(
    db: Statements,
    caller: Caller,
    ad_id: int,
    trail: Trail,
    *,
    days: int,
    expected: Expected = ANYTHING,
) -> AdDeleted:
    """Deletes the ad; for so many days that can be undone.

    A deletion of another account's ad is also written to the audit trail.
    """
    sql = _delete_sql(expected=expected.versions is not None)
    key = caller.user_id, caller.session_id, ad_id
    row = await db.fetchrow(sql, *key, *trail, days, *expected.parameters)
    if row is None:
        return AdDeleted(access_check_of(row))
    access = access_check_of(row)
    return AdDeleted(access, row["owner_id"], row["images"], row["category_id"])


# Parameters: the reading account, the ad.
SELECT_RECORD = f"""
    SELECT {answer_sql("found")} AS record, {ad_version_sql("found")} AS version
    FROM ads AS found CROSS JOIN (SELECT $1::bigint AS id) AS caller WHERE found.id = $2
"""

INSERT_CREATED_EVENT = """
    INSERT INTO ad_events (ad_id, actor_id, event, to_status) VALUES ($1, $2, 'created', $3)
"""
AUTHOR_EXISTS = "fk_ads_author_id_users"


SELECT_SHOWN = "SELECT ads FROM author_ad_totals WHERE author_id = $1"
SELECT_PLAN = """
    SELECT plan, coalesce(totals.ads, 0) AS shown
    FROM ads JOIN users ON users.id = ads.author_id
    LEFT JOIN author_ad_totals AS totals ON totals.author_id = users.id WHERE ads.id = $1
"""


async def get(db: DatabaseSession, ad_id: int) -> Ad | None:
    return await db.get(Ad, ad_id)


async def by_external_id(db: DatabaseSession, author_id: int, external_id: str) -> Ad | None:
    query = select(Ad).where(Ad.author_id == author_id, Ad.external_id == external_id)
    return await db.scalar(query)


async def lock(db: DatabaseSession, ad_id: int) -> Ad | None:
    """Locks the ad until the transaction ends."""
    query = select(Ad).where(Ad.id == ad_id).with_for_update()
    return await db.scalar(query)


async def add(db: DatabaseSession, values: Mapping[str, Any], *, days: int = 0) -> Ad | None:
    """None if the author does not exist. An active ad is shown for `days` days."""
    status = values.get("status", AdStatus.ACTIVE)
    lasts = {"expires_at": func.now() + timedelta(days=days)}
    ad = Ad(**values, **(lasts if days and status == AdStatus.ACTIVE else {}))
    db.add(ad)
    try:
        await db.flush()
    except IntegrityError as error:
        constraint = violated_constraint(error)
        if constraint == CATEGORY_EXISTS:
            raise UnknownCategoryError from error
        if constraint == EXTERNAL_ID_IS_UNIQUE:
            raise ExternalIdTakenError from error
        if constraint != AUTHOR_EXISTS:
            raise
        return None
    await db.fetch(INSERT_CREATED_EVENT, ad.id, ad.author_id, status)
    return ad


async def written(db: DatabaseSession, viewer_id: int, ad_id: int) -> Written:
    """The ad as `schemas.ads.Ad`, with its version for that account."""
    [row] = await db.fetch(SELECT_RECORD, viewer_id, ad_id)
    return Written(row["record"], row["version"])


async def shown_by_author(db: Statements, author_id: int) -> int:
    """How many ads of the author are shown; exact in a transaction that has changed one."""
    return int(await db.fetchval(SELECT_SHOWN, author_id) or 0)


async def plan_of_author(db: Statements, ad_id: int) -> tuple[str, int]:
    """The plan of the ad's author, and how many of its ads are shown. The ad exists."""
    [row] = await db.fetch(SELECT_PLAN, ad_id)
    return row["plan"], row["shown"]


async def count_unfinished(db: DatabaseSession, author_id: int, most: int) -> int:
    """Up to `most`."""
    is_unfinished = literal_column(UNFINISHED_SQL, Boolean)
    unfinished = select(Ad.id).where(Ad.author_id == author_id, is_unfinished)
    counted = select(func.count()).select_from(unfinished.limit(most).subquery())
    return (await db.execute(counted)).scalar_one()


async def images_in_use(db: DatabaseSession, names: Sequence[str]) -> set[str]:
    """The names that an ad uses."""
    query = select(Ad.image).where(Ad.image.in_(names))
    return set(await db.scalars(query))
