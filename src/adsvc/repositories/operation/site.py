"""What administrators have set of the site, and the history of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select

from adsvc.enums import EventType, NotificationType
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Row, Statements, paged
from adsvc.limits import LARGEST_PRICE
from adsvc.models.operation import Invitation, SiteChange
from adsvc.schemas.base import IMAGE_PATH

Members = Mapping[str, Any]


async def members(db: Statements, *, locks: bool = False) -> Members:
    """By the names of the interface; without those that have their defaults."""
    lock = " FOR UPDATE" if locks else ""
    found = await db.fetchval(f"SELECT site::text FROM installation{lock}")
    return {} if found is None else json.loads(found)


async def change(db: Statements, site: Members, before: Members, after: Members, actor: str) -> int:
    """`before` and `after` have the members that change. Returns the version."""
    await db.fetch("UPDATE installation SET site = $1::text::jsonb", json.dumps(site))
    version: int = await db.fetchval(
        "INSERT INTO site_changes (actor, before, after)"
        " VALUES ($1, $2::text::jsonb, $3::text::jsonb) RETURNING id",
        actor,
        json.dumps(before),
        json.dumps(after),
    )
    return version


async def history(db: DatabaseSession, limit: int, *, before: int | None) -> Paged[SiteChange]:
    """The newest first, with an id below `before`."""
    query = select(SiteChange).where(SiteChange.id < (before or BEYOND_ALL))
    query = query.order_by(SiteChange.id.desc()).limit(limit + 1)
    return paged((await db.scalars(query)).all(), limit)


async def replaced(db: Statements, number: int) -> Members | None:
    """What a change replaced; None if there is no such change."""
    found = await db.fetchval("SELECT before::text FROM site_changes WHERE id = $1", number)
    return None if found is None else json.loads(found)


async def last_version(db: Statements, page: str) -> int:
    """The highest that the page has had, even if a change was undone; 0 for a new page."""
    found = await db.fetchval(
        "SELECT max((after -> $1 ->> 'version')::int) FROM site_changes", page
    )
    return int(found or 0)


# Every picture that the site has had: to undo a change brings it back.
IMAGES_IN_USE = """
    SELECT name FROM unnest($1::text[]) AS name
    WHERE EXISTS (
        SELECT FROM site_changes, jsonb_each_text(after) AS member
        WHERE key IN ('logo', 'icon') AND value = $2::text || name
    )
"""


async def images_in_use(db: Statements, names: Sequence[str]) -> set[str]:
    """The names that the logo and the icon use, or that an undone change may bring back."""
    rows = await db.fetch(IMAGES_IN_USE, list(names), IMAGE_PATH)
    return {row["name"] for row in rows}


DIGEST = "sha256(convert_to(id::text || $1::text, 'UTF8'))"
# A link opens the set-up only while there is no administrator.
HAS_NO_ADMINISTRATOR = "NOT EXISTS (SELECT FROM users WHERE role = 'ADMIN')"


async def set_link(db: Statements, token: str, seconds: int) -> bool:
    """Voids the link before it. False if there is an administrator."""
    found = await db.fetch(
        f"UPDATE installation SET setup_hash = {DIGEST},"
        f" setup_until = now() + make_interval(secs => $2) WHERE {HAS_NO_ADMINISTRATOR}"
        " RETURNING 1",
        token,
        float(seconds),
    )
    return bool(found)


async def is_link_valid(db: Statements, token: str, *, locks: bool = False) -> bool:
    """Other set-ups wait for the end of the transaction that locks."""
    lock = " FOR UPDATE" if locks else ""
    found = await db.fetch(
        "SELECT 1 FROM installation"
        f" WHERE setup_hash = {DIGEST} AND setup_until > now()"
        f" AND {HAS_NO_ADMINISTRATOR}{lock}",
        token,
    )
    return bool(found)


async def void_link(db: Statements) -> None:
    await db.fetch("UPDATE installation SET setup_hash = NULL, setup_until = NULL")


# Columns that are numbers, by table.
PRICED = {
    "ads": ("price", "price_before"),
    "changed_ads": ("price",),
    "deals": ("price",),
    "favorites": ("price",),
    "offers": ("price",),
    "price_changes": ("price",),
    "saved_queries": ("min_price", "max_price"),
}
# Triggers that would see changes of the price.
TRIGGERS = ("keep_changed", "keep_price_before", "tell_ads_update")
CHANGED = f"= '{EventType.AD_PRICE_CHANGED}'"
DROPPED = f"= '{NotificationType.PRICE_DROPPED}'"
OFFERED = f"= '{EventType.OFFER_MADE}'"
SPAN = ("from", "to")
# Columns of JSON: the table, the column, its member that has the prices, if it is not the column
# itself, the names of the prices, and which rows have them.
RECORDED = (
    ("cases", "snapshot", "", ("price",), "TRUE"),
    ("reports", "snapshot", "", ("price",), "snapshot IS NOT NULL"),
    ("import_rows", "sent", "", ("price",), "sent IS NOT NULL"),
    ("deleted_rows", "content", "", ("price", "price_before"), "TRUE"),
    ("deleted_rows", "content", "snapshot", ("price",), "TRUE"),
    ("deleted_rows", "content", "data", SPAN, f"content->>'type' {DROPPED}"),
    ("events", "data", "", ("price",), f"type {OFFERED}"),
    ("changes", "data", "", ("price",), f"type {OFFERED}"),
    ("events", "data", "", SPAN, f"type {CHANGED}"),
    ("changes", "data", "", SPAN, f"type {CHANGED}"),
    ("fan_outs", "data", "", SPAN, f"type {DROPPED}"),
    ("notifications", "data", "", SPAN, f"type {DROPPED}"),
    ("outbox", "payload", "data", SPAN, f"payload->>'type' {DROPPED}"),
    ("digested_notices", "payload", "data", SPAN, f"payload->>'type' {DROPPED}"),
    ("push_messages", "payload", "data", SPAN, f"payload->>'type' {DROPPED}"),
)
# The canonical queries have the bounds too. Where two become the same query, both stay.
QUERIES = """
    UPDATE saved_queries SET keyed_at = '-infinity', query = regexp_replace(
        regexp_replace(query, '(^|&)minPrice=\\d+', concat('\\1minPrice=', min_price)),
        '(^|&)maxPrice=\\d+', concat('\\1maxPrice=', max_price)
    ), digest = sha256(convert_to(concat('old ', id), 'UTF8'))
    WHERE min_price IS NOT NULL OR max_price IS NOT NULL
"""
DIGESTS = """
    UPDATE saved_queries SET digest = sha256(convert_to(
        concat(saved_queries.query, CASE WHEN nth > 1 THEN concat(' ', numbered.id) END), 'UTF8'
    )) FROM (
        SELECT id, row_number() OVER (PARTITION BY query ORDER BY id) AS nth FROM saved_queries
    ) AS numbered
    WHERE numbered.id = saved_queries.id AND (min_price IS NOT NULL OR max_price IS NOT NULL)
"""


def _converted(price: str, power: int) -> str:
    """The price times ten to that power; half of a unit is rounded up."""
    factor = 10 ** abs(power)
    if power < 0:
        return f"({price}::bigint + {factor // 2}) / {factor}"
    return (
        f"CASE WHEN {price}::bigint > {LARGEST_PRICE // factor} THEN {LARGEST_PRICE}"
        f" ELSE {price}::bigint * {factor} END"
    )


async def has_ads(db: Statements) -> bool:
    """Others cannot add one until the end of the transaction. Deleted ones can be restored."""
    await db.fetch("LOCK TABLE ads IN SHARE ROW EXCLUSIVE MODE")
    found = await db.fetch(
        "SELECT 1 WHERE EXISTS (SELECT FROM ads)"
        " OR EXISTS (SELECT FROM deleted_rows WHERE place = 'ads')"
    )
    return bool(found)


async def survey(db: Statements, power: int) -> Sequence[Row]:
    """By column: prices, those that would be rounded, and those that would be too large."""
    rounded, most = 10 ** max(-power, 0), LARGEST_PRICE // 10 ** max(power, 0)
    counts = (
        f"SELECT '{table}.{name}' AS name, count({name}) AS prices,"
        f" count(*) FILTER (WHERE {name} % {rounded} <> 0) AS rounded,"
        f" count(*) FILTER (WHERE {name} > {most}) AS too_large FROM {table}"
        for table, names in PRICED.items()
        for name in names
    )
    return await db.fetch(" UNION ALL ".join(counts), keep_plan=False)


async def convert(db: Statements, power: int) -> None:
    """In all tables. Locks ads against changes until the end of the transaction."""
    for sql in (_switch("DISABLE"), *_updates(power), QUERIES, DIGESTS, _switch("ENABLE")):
        await db.fetch(sql, keep_plan=False)


def _switch(state: str) -> str:
    return f"ALTER TABLE ads {', '.join(f'{state} TRIGGER {name}' for name in TRIGGERS)}"


def _updates(power: int) -> Iterator[str]:
    for table, names in PRICED.items():
        changes = ", ".join(f"{name} = {_converted(name, power)}" for name in names)
        yield f"UPDATE {table} SET {changes}"
    for table, column, member, names, rows in RECORDED:
        value = f"{column}->'{member}'" if member else column
        changed = f"""({value}) || (
            SELECT coalesce(jsonb_object_agg(key, {_converted("value", power)}), '{{}}')
            FROM jsonb_each_text({value})
            WHERE key = ANY ('{{{",".join(names)}}}') AND value ~ '^[0-9]{{1,10}}$'
        )"""
        if member:
            changed = f"jsonb_set({column}, '{{{member}}}', {changed})"
        yield f"""
            UPDATE {table} SET {column} = {changed}
            WHERE {rows} AND jsonb_typeof({value}) = 'object'
        """


USE_INVITATION = """
    UPDATE invitations SET used = used + 1
    WHERE hash = $1 AND used < uses AND coalesce(expires_at > now(), TRUE) RETURNING 1
"""


async def use_invitation(db: Statements, digest: bytes) -> bool:
    """False if it has expired, is used up, or never was."""
    return bool(await db.fetch(USE_INVITATION, digest))


async def add_invitation(
    db: DatabaseSession, digest: bytes, uses: int, expires_at: datetime | None
) -> Invitation:
    values = {"hash": digest, "uses": uses, "expires_at": expires_at}
    return (await db.scalars(insert(Invitation).values(values).returning(Invitation))).one()


async def newest_invitations(db: DatabaseSession, limit: int) -> Sequence[Invitation]:
    return (await db.scalars(select(Invitation).order_by(Invitation.id.desc()).limit(limit))).all()


async def delete_invitation(db: DatabaseSession, number: int) -> bool:
    """Whether there was one."""
    statement = delete(Invitation).where(Invitation.id == number).returning(Invitation.id)
    return await db.scalar(statement) is not None
