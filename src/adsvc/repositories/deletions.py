"""Keeps the rows that a deletion removes by its cascades, and brings them back.

Which rows these are follows from the foreign keys.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from typing import NamedTuple

from sqlalchemy import select

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Statements, paged
from adsvc.kit.pictures.containers import files_of
from adsvc.migrations.revisions import directory
from adsvc.models.operation import Deletion

TABLE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n(.*?)\n\)", re.MULTILINE | re.DOTALL)
COLUMN = re.compile(
    r'^    (?!CONSTRAINT )"?(\w+)"? (.+?)(?: DEFAULT .+?)?( NOT NULL)?(?: COLLATE .+?)?,?$',
    re.MULTILINE,
)
FOREIGN_KEY = re.compile(
    r"^ALTER TABLE ONLY (\w+)\n    ADD CONSTRAINT \w+ FOREIGN KEY \((\w+)\)"
    r" REFERENCES (\w+)\((\w+)\)(?: ON DELETE (CASCADE|SET NULL))?",
    re.MULTILINE,
)


class Column(NamedTuple):
    type: str
    nullable: bool


class ForeignKey(NamedTuple):
    column: str
    parent: str
    # The column of the parent.
    referred: str
    # `CASCADE`, `SET NULL`, or empty.
    on_delete: str


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    name: str
    columns: Mapping[str, Column]
    foreign_keys: Sequence[ForeignKey]


def _parsed(schema: str) -> Mapping[str, Table]:
    keys: defaultdict[str, list[ForeignKey]] = defaultdict(list)
    for name, *key in FOREIGN_KEY.findall(schema):
        keys[name].append(ForeignKey(*key))
    tables = {
        name: Table(
            name,
            {column: Column(kind, not fixed) for column, kind, fixed in COLUMN.findall(body)},
            keys[name],
        )
        for name, body in TABLE.findall(schema)
    }
    parents = {name: {key.parent for key in keys[name]} - {name} for name in tables}
    return {name: tables[name] for name in TopologicalSorter(parents).static_order()}


# Those that a table refers to come before it.
TABLES = _parsed((directory() / "schema.sql").read_text("utf-8"))

# Tables whose rows do not come back.
LEFT_OUT: Mapping[str, str] = {
    **dict.fromkeys(("sessions", "keys", "mail_tokens"), "credentials: log in again"),
    **dict.fromkeys(("push_subscriptions", "push_messages"), "they belong to sessions"),
    **dict.fromkeys(("webhooks", "webhook_deliveries"), "they would call others again"),
    **dict.fromkeys(
        ("author_ad_totals", "ad_comment_totals", "image_totals"), "triggers count anew"
    ),
    **dict.fromkeys(("idempotency_keys", "notice_mails", "digested_notices"), "for hours or a day"),
    "mail_attempts": "a log of a week",
    **dict.fromkeys(("imports", "import_rows"), "logs of a month: send the feed again"),
}
# Events of rows that come back, which are no news.
NO_NEWS = ("comment.created", "decision.made", "report.created")
KINDS = {"ad": TABLES["ads"], "account": TABLES["users"]}
# The pictures of either, with the id in a parameter.
PICTURES = {
    "ad": "SELECT name FROM ad_images WHERE ad_id = {id}",
    "account": "SELECT name FROM ad_images JOIN ads ON ads.id = ad_id WHERE author_id = {id}"
    " UNION SELECT image FROM users WHERE id = {id} AND image IS NOT NULL",
}


def _where(table: Table, condition: str) -> str:
    return f"FROM {table.name} WHERE {condition}"


def removed_with(kind: str, key: str) -> Mapping[Table, str]:
    """Conditions on the rows that go with an ad or account, by table, parents first."""
    found = {KINDS[kind]: f"id = {key}"}
    for table in TABLES.values():
        parents = [
            f"{each.column} IN (SELECT {each.referred} {_where(parent, found[parent])})"
            for each in table.foreign_keys
            if each.on_delete == "CASCADE" and (parent := TABLES[each.parent]) in found
        ]
        if parents and table.name not in LEFT_OUT:
            found[table] = " OR ".join(parents)
    if kind == "ad":
        # Triggers remove these.
        found[TABLES["images"]] = f"name IN ({PICTURES[kind].format(id=key)})"
    return found


def written_anew(table: str) -> Sequence[str]:
    """Columns that triggers write."""
    columns = TABLES[table].columns
    return [name for name, column in columns.items() if column.type == "tsvector"]


# What begins the place of rows that lose the account and stay, such as conversations.
LINKS = "links of "


def links() -> Mapping[Table, Sequence[str]]:
    """The columns that name an account until it is deleted."""
    found = {
        table: [
            key.column
            for key in table.foreign_keys
            if key.on_delete == "SET NULL" and key.parent == "users"
        ]
        for table in TABLES.values()
        if table.name not in LEFT_OUT
    }
    return {table: sorted(columns) for table, columns in found.items() if columns}


def _linking_sql(table: Table, columns: Sequence[str]) -> str:
    """Parameters: the deletion, the account."""
    changes = (
        f"{each} = coalesce({table.name}.{each}, CASE r.{each} WHEN $2 THEN $2 END)"
        for each in columns
    )
    return f"""
        UPDATE {table.name} SET {", ".join(changes)}
        FROM deleted_rows AS kept, jsonb_populate_record(NULL::{table.name}, kept.content) AS r
        WHERE kept.deletion_id = $1 AND kept.place = '{LINKS}{table.name}'
            AND {table.name}.id = r.id
    """


def _rows_sql(kind: str, key: str) -> str:
    parts = []
    for table, condition in removed_with(kind, key).items():
        left_out = "".join(f" - '{each}'" for each in written_anew(table.name))
        row = f"to_jsonb({table.name}){left_out}"
        parts.append(f"SELECT '{table.name}' AS place, {row} AS content {_where(table, condition)}")
    for table, columns in links().items() if kind == "account" else ():
        members = ", ".join(f"'{each}', {each}" for each in ("id", *columns))
        row = f"jsonb_build_object({members})"
        named = _where(table, f"{key} IN ({', '.join(columns)})")
        parts.append(f"SELECT '{LINKS}{table.name}', {row} {named}")
    return " UNION ALL ".join(parts)


@cache
def keeping_sql(kind: str, key: str) -> str:
    """CTEs after `deletion`, which has the id of the new deletion, or no row."""
    pictures = PICTURES[kind].format(id=key)
    return f"""
        kept AS (
            INSERT INTO deleted_rows (deletion_id, place, content)
            SELECT deletion.id, found.place, found.content
            FROM deletion CROSS JOIN ({_rows_sql(kind, key)}) AS found
        ), hidden AS (
            INSERT INTO hidden_pictures (name, deletion_id)
            SELECT found.name, deletion.id FROM deletion CROSS JOIN ({pictures}) AS found (name)
            GROUP BY 1, 2 ORDER BY 1
            ON CONFLICT (name) DO UPDATE SET is_pending = true, deletion_id = excluded.deletion_id
        ), released AS (
            DELETE FROM images WHERE name IN ({pictures}) AND EXISTS (SELECT FROM deletion)
        )
    """


KEEP_ACCOUNT = f"""
    WITH deletion AS (
        INSERT INTO deletions (kind, target_id, owner_id, label, actor, ends_at)
        SELECT 'account', id, id, username, $2, now() + make_interval(days => $3::int)
        FROM users WHERE id = $1 RETURNING id
    ), {keeping_sql("account", "$1")}
    SELECT id FROM deletion
"""


async def keep_account(db: Statements, user_id: int, actor: str, days: int) -> None:
    """Before the deletion of an account that is locked."""
    await db.fetch(KEEP_ACCOUNT, user_id, actor, days)


ADD = """
    INSERT INTO deletions (kind, target_id, owner_id, label, actor, ends_at)
    VALUES ('ad', $1, $2, $3, $4, now()) RETURNING id
"""


async def add(db: Statements, ad_id: int, owner_id: int, label: str, actor: str) -> int:
    """A deletion of an ad from elsewhere, to be undone. Returns its id."""
    found: int = await db.fetchval(ADD, ad_id, owner_id, label, actor)
    return found


async def add_row(
    db: Statements, deletion_id: int, table: str, fields: Mapping[str, tuple[str, str | None]]
) -> None:
    """By the names of columns: the type, and the value as text."""
    members = ", ".join(
        f"'{name}', ${number}::text::{kind}"
        for number, (name, (kind, _)) in enumerate(fields.items(), 3)
    )
    sql = f"""
        INSERT INTO deleted_rows (deletion_id, place, content)
        VALUES ($1, $2, jsonb_build_object({members}))
    """
    await db.fetch(sql, deletion_id, table, *(text for _, text in fields.values()))


async def page(db: DatabaseSession, limit: int, *, before: int | None = None) -> Paged[Deletion]:
    """Those with an id below `before`, the newest first."""
    found = select(Deletion).where(Deletion.id < (before or BEYOND_ALL))
    found = found.order_by(Deletion.id.desc()).limit(limit + 1)
    return paged((await db.scalars(found)).all(), limit)


async def lock(db: DatabaseSession, deletion_id: int) -> Deletion | None:
    query = select(Deletion).where(Deletion.id == deletion_id).with_for_update()
    return await db.scalar(query)


def _restoring_sql(table: Table, stored: Sequence[str]) -> str:
    """Rows whose parents are gone stay away; others lose what they refer to, if they may. An ad or
    account whose name is taken stays away too.
    """
    columns = {name: f"r.{name}" for name in table.columns if name in stored}
    conditions = ["TRUE"]
    for key in table.foreign_keys:
        column, parent, referred, _ = key
        if parent == table.name or column not in columns:
            continue
        exists = f"EXISTS (SELECT FROM {parent} WHERE {parent}.{referred} = r.{column})"
        if table.columns[column].nullable:
            columns[column] = f"CASE WHEN {exists} THEN r.{column} END"
        else:
            conditions.append(exists)
    return f"""
        INSERT INTO {table.name} ({", ".join(columns)}) OVERRIDING SYSTEM VALUE
        SELECT {", ".join(columns.values())}
        FROM deleted_rows AS kept, jsonb_populate_record(NULL::{table.name}, kept.content) AS r
        WHERE kept.deletion_id = $1 AND kept.place = '{table.name}'
            AND {" AND ".join(conditions)}
        {"ON CONFLICT DO NOTHING RETURNING id" if table in KINDS.values() else ""}
    """


SELECT_PLACES = """
    SELECT DISTINCT ON (place) place, ARRAY(SELECT jsonb_object_keys(content)) AS columns
    FROM deleted_rows WHERE deletion_id = $1 ORDER BY place
"""
# A trigger adds a picture to ads whose thumbnail is unknown.
REMOVE_ADDED = """
    DELETE FROM ad_images WHERE ad_id IN (
        SELECT (content ->> 'id')::bigint FROM deleted_rows WHERE deletion_id = $1 AND place = 'ads'
    )
"""
FORGET_NEWS = """
    DELETE FROM changes WHERE xid = pg_current_xact_id()::text::bigint AND type = ANY ($1::text[])
"""
SHOW_PICTURES = """
    UPDATE hidden_pictures SET deletion_id = NULL, is_pending = true WHERE deletion_id = $1
"""


async def undo(db: Statements, deletion: Deletion) -> bool:
    """False if the ad or account itself cannot come back. Roll back then."""
    places: dict[str, Sequence[str]] = {
        row["place"]: row["columns"] for row in await db.fetch(SELECT_PLACES, deletion.id)
    }
    root = KINDS[deletion.kind]
    for table in TABLES.values():
        if table.name not in places:
            continue
        sql = _restoring_sql(table, places[table.name])
        restored = await db.fetch(sql, deletion.id, keep_plan=False)
        if table is root and not restored:
            return False
        if table.name == "ads":
            await db.fetch(REMOVE_ADDED, deletion.id)
    for table, columns in links().items():
        if f"{LINKS}{table.name}" in places:
            await db.fetch(_linking_sql(table, columns), deletion.id, deletion.target_id)
    await db.fetch(FORGET_NEWS, list(NO_NEWS))
    await db.fetch(SHOW_PICTURES, deletion.id)
    await db.fetch("DELETE FROM deletions WHERE id = $1", deletion.id)
    return True


FREE_PICTURES = (
    "UPDATE hidden_pictures SET deletion_id = NULL WHERE deletion_id = $1 RETURNING name"
)
QUEUE = """
    INSERT INTO picture_deletions (name) SELECT unnest($1::text[]) ORDER BY 1
    ON CONFLICT DO NOTHING
"""
SELECT_ENDED = "SELECT id FROM deletions WHERE ends_at < now() ORDER BY ends_at LIMIT $1"
OF_OWNER = "SELECT id FROM deletions WHERE owner_id = $1 ORDER BY id"
# Rows of the account that went with ads of others.
FORGET_OWNER = """
    DELETE FROM deleted_rows WHERE $1::text IN (
        content ->> 'author_id', content ->> 'user_id', content ->> 'owner_id',
        content ->> 'blocked_id', content ->> 'reporter_id'
    )
"""


async def purge(db: Statements, deletion_id: int) -> None:
    """Ends the deletion. Its pictures are deleted by the regular job."""
    names = [row["name"] for row in await db.fetch(FREE_PICTURES, deletion_id)]
    await db.fetch(QUEUE, files_of(names))
    await db.fetch("DELETE FROM deletions WHERE id = $1", deletion_id)


async def forget_owner(db: Statements, owner_id: int) -> None:
    """Ends all deletions of the account's things, and removes what others have of it."""
    for row in await db.fetch(OF_OWNER, owner_id):
        await purge(db, row["id"])
    await db.fetch(FORGET_OWNER, str(owner_id))


async def ended(db: Statements, limit: int) -> Sequence[int]:
    return [row["id"] for row in await db.fetch(SELECT_ENDED, limit)]
