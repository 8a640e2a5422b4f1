"""What administrators have set of the site, and the history of it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Statements, paged
from adsvc.models import SiteChange
from adsvc.schemas.base import IMAGE_PATH

Members = Mapping[str, Any]


async def members(db: Statements, *, locks: bool = False) -> Members:
    """By the names of the interface; without those that have their defaults."""
    lock = " FOR UPDATE" if locks else ""
    found = await db.fetchval(f"SELECT site::text FROM installation{lock}")  # noqa: S608 - no input
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
        f"UPDATE installation SET setup_hash = {DIGEST},"  # noqa: S608 - no input
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
        "SELECT 1 FROM installation"  # noqa: S608 - no input
        f" WHERE setup_hash = {DIGEST} AND setup_until > now()"
        f" AND {HAS_NO_ADMINISTRATOR}{lock}",
        token,
    )
    return bool(found)


async def void_link(db: Statements) -> None:
    await db.fetch("UPDATE installation SET setup_hash = NULL, setup_until = NULL")
