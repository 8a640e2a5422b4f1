"""The statements of backups, restores and `adsvc verify`."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.servers import NAME
from adsvc.kit.db.statements import Statements
from adsvc.kit.pictures.containers import ICONS, SHARE, SUFFIXES, VARIANTS, files_of, variant_name
from adsvc.repositories.operation.jobs import MAY_LAST

# The service's sessions plan without sequential scans; these statements read whole tables.
SCANS_ALLOWED = "SET LOCAL enable_seqscan = on"

# Of every logo and icon that the site has had.
SITE_FILES = f"""
    SELECT CASE WHEN file LIKE '.%' THEN substr(value, 9)
        ELSE split_part(substr(value, 9), '.', 1) || file END AS name
    FROM site_changes, jsonb_each_text(after) AS member,
        unnest(ARRAY[{", ".join(f"'{SUFFIXES[icon]}'" for icon in ICONS)}, '.']) AS file
    WHERE key IN ('logo', 'icon') AND value IS NOT NULL AND (key = 'icon' OR file = '.')
"""
# In the order of the image store and of the lists in a backup.
PICTURES = """
    SELECT CASE WHEN is_hidden THEN stem || '.' || split_part(named.name, '.', 2)
        ELSE named.name END COLLATE "C" AS name,
        has_variants, has_share, width, height, images.bytes
    FROM (
        SELECT name COLLATE "C" AS name, bool_or(has_variants) AS has_variants,
            bool_or(has_share) AS has_share, max(width) AS width, max(height) AS height
        FROM (
            SELECT name, has_variants, has_share, width, height FROM ad_images
            UNION ALL SELECT image, false, false, NULL, NULL FROM ads
            UNION ALL SELECT image, false, false, NULL, NULL FROM users
            UNION ALL SELECT r.name, r.has_variants, r.has_share, r.width, r.height
            FROM deleted_rows, jsonb_populate_record(NULL::ad_images, content) AS r
            WHERE place = 'ad_images'
            UNION ALL SELECT name, false, false, NULL, NULL FROM hidden_pictures
            WHERE deletion_id IS NOT NULL
            UNION ALL SELECT name, false, false, NULL, NULL FROM ({site_files}) AS site
        ) AS rows
        WHERE {condition} GROUP BY 1
    ) AS named LEFT JOIN images ON images.name = named.name
    LEFT JOIN hidden_pictures ON hidden_pictures.name = named.name
    ORDER BY 1
"""
ALL_PICTURES = PICTURES.format(condition="name IS NOT NULL", site_files=SITE_FILES)
ONE_PICTURE = PICTURES.format(
    condition="""name = coalesce(
        (SELECT name FROM hidden_pictures WHERE is_hidden AND stem = split_part($1, '.', 1)), $1
    )""",
    site_files=SITE_FILES,
)
COUNT_PICTURES = """
    SELECT (SELECT count(*) FROM ad_images) + (SELECT count(*) FROM users WHERE image IS NOT NULL)
"""
COUNT_FILES = f"""
    SELECT (
        SELECT coalesce(sum(1 + {len(VARIANTS) - 1} * has_variants::int + has_share::int), 0)
        FROM ad_images
    ) + (SELECT count(*) FROM users WHERE image IS NOT NULL)
"""
COUNT_OTHER_SESSIONS = f"""
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND split_part(application_name, '/', 1) = '{NAME}'
"""
COUNT_TABLES = """
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm') AND nspname = 'public'
"""
HAS_ALL_TABLES = """
    SELECT bool_and(to_regclass('public.' || name) IS NOT NULL)
    FROM unnest(ARRAY['users', 'ads', 'categories']) AS name
"""
HAS_ROWS = """
    SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM ads)
        OR EXISTS (SELECT FROM categories)
"""
# Everything in the schema but what belongs to an extension. The schema itself may belong to another
# role. All is listed before anything is dropped, as dropped things have no name any more.
DROP_ALL = """
DO $$
DECLARE
    statements text[];
    statement text;
BEGIN
    SELECT array_agg(format('DROP %s IF EXISTS %s CASCADE', kind, name)) INTO statements FROM (
        SELECT 'pg_class'::regclass AS catalog, oid, 'TABLE' AS kind, oid::regclass::text AS name
        FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'pg_proc'::regclass, oid, 'ROUTINE', oid::regprocedure::text
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'pg_ts_config'::regclass, oid, 'TEXT SEARCH CONFIGURATION', oid::regconfig::text
        FROM pg_ts_config WHERE cfgnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'pg_type'::regclass, oid, 'TYPE', oid::regtype::text
        FROM pg_type WHERE typtype = 'e' AND typnamespace = 'public'::regnamespace
    ) AS found
    WHERE NOT EXISTS (
        SELECT FROM pg_depend
        WHERE classid = found.catalog AND objid = found.oid AND deptype = 'e'
    );
    FOREACH statement IN ARRAY coalesce(statements, '{}') LOOP
        EXECUTE statement;
    END LOOP;
END $$;
"""

# The log of events goes on in a database whose transactions have other numbers: what was not moved
# yet is as if this transaction had written it. Cursors from before are not valid any more.
# The parameter is a snapshot from before the transaction had a number.
RESTART_LOG = (
    """
    DELETE FROM changes WHERE pg_visible_in_snapshot(xid::text::xid8, (
        SELECT snapshot::pg_snapshot FROM event_batches ORDER BY id DESC LIMIT 1
    ))
    """,
    "UPDATE changes SET xid = pg_current_xact_id()::text::bigint",
    """
    INSERT INTO event_batches (id, last_event_id, snapshot)
    SELECT id + 1, last_event_id, $1::text FROM event_batches ORDER BY id DESC LIMIT 1
    """,
    "UPDATE event_log SET epoch = gen_random_uuid()",
)


class NamedPicture(NamedTuple):
    """A picture that a row names. None where the row does not say."""

    name: str
    has_variants: bool
    has_share: bool
    width: int | None
    height: int | None
    # With its variants.
    bytes: int | None

    def files(self) -> list[str]:
        """The names of its files: itself, and the variants that it has."""
        share = variant_name(self.name, SHARE)
        files = files_of([self.name]) if self.has_variants else [self.name, share]
        return files if self.has_share else [file for file in files if file != share]


async def picture_named(reader: Statements, name: str) -> NamedPicture | None:
    """None if no row names it."""
    row = await reader.fetchrow(ONE_PICTURE, name)
    return None if row is None else NamedPicture(*row.values())


class BackupQueries:
    def __init__(self, session: DatabaseSession) -> None:
        self._session = session

    async def export_snapshot(self) -> str:
        """A name by which other sessions see the database as this transaction does."""
        await self._session.fetch("SET LOCAL idle_in_transaction_session_timeout = 0")
        await self._session.fetch(MAY_LAST)
        name: str = await self._session.fetchval("SELECT pg_export_snapshot()")
        return name

    async def pictures(self) -> AsyncIterator[NamedPicture]:
        """All that rows name, in the order of their bytes. Needs a transaction."""
        await self._session.fetch(SCANS_ALLOWED)
        await self._session.fetch(MAY_LAST)
        async for row in self._session.stream_rows(ALL_PICTURES):
            yield NamedPicture(**row)

    async def count_pictures(self) -> int:
        """Without variants; an estimate, since rows that name the same picture count twice."""
        await self._session.fetch(SCANS_ALLOWED)
        return int(await self._session.fetchval(COUNT_PICTURES))

    async def count_files(self) -> int:
        """As `count_pictures`, with variants."""
        await self._session.fetch(SCANS_ALLOWED)
        return int(await self._session.fetchval(COUNT_FILES))

    async def server_version(self) -> int:
        """As 180004 for 18.4."""
        return int(await self._session.fetchval("SHOW server_version_num"))

    async def count_other_sessions(self) -> int:
        """Other sessions of this program, by their application name."""
        return int(await self._session.fetchval(COUNT_OTHER_SESSIONS))

    async def is_empty(self) -> bool:
        """Whether there are no tables, or only those of adsvc without a row."""
        if not await self._session.fetchval(COUNT_TABLES):
            return True
        return bool(
            await self._session.fetchval(HAS_ALL_TABLES)
        ) and not await self._session.fetchval(HAS_ROWS)

    async def restart_log(self) -> None:
        """Of events. Needs a transaction that has written nothing yet."""
        snapshot = await self._session.fetchval("SELECT pg_current_snapshot()::text")
        moved, pending, batch, epoch = RESTART_LOG
        for statement in (moved, pending):
            await self._session.fetch(statement)
        await self._session.fetch(batch, snapshot)
        await self._session.fetch(epoch)
