"""What backups, restores and `adsvc verify` ask of the database."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.connections.connection import NAME
from adsvc.db.read_pool import Writer

# Deletions of pictures try to share this lock, and a backup that copies pictures has it alone. It
# may be any number known to both.
DELETIONS_LOCK = 7_206_114_318
TRY_DELETIONS_LOCK = f"SELECT pg_try_advisory_xact_lock_shared({DELETIONS_LOCK}) AS taken"
# How long deletions wait for a backup that has fallen silent: a machine that was lost, say.
SILENCE = "60s"
ROWS = 2000

# By the order in which the store and the lists of a backup have them.
PICTURES = """
    SELECT named.name, has_variants, width, height, images.bytes FROM (
        SELECT name COLLATE "C" AS name, bool_or(has_variants) AS has_variants,
            max(width) AS width, max(height) AS height
        FROM (
            SELECT name, has_variants, width, height FROM ad_images
            UNION ALL SELECT image, false, NULL, NULL FROM ads
            UNION ALL SELECT image, false, NULL, NULL FROM users
        ) AS rows
        WHERE {condition} GROUP BY 1
    ) AS named LEFT JOIN images ON images.name = named.name
    ORDER BY 1
"""
ALL_PICTURES = text(PICTURES.format(condition="name IS NOT NULL"))
ONE_PICTURE = text(PICTURES.format(condition="name = :name"))
COUNT = """
    SELECT (SELECT count(*) FROM ad_images) + (SELECT count(*) FROM users WHERE image IS NOT NULL)
"""
COUNT_FILES = text("""
    SELECT (SELECT coalesce(sum(CASE WHEN has_variants THEN :of_one ELSE 1 END), 0) FROM ad_images)
        + (SELECT count(*) FROM users WHERE image IS NOT NULL)
""")
OTHERS = text("""
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND split_part(application_name, '/', 1) = :name
""")
TABLES = text("""
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm') AND nspname = 'public'
""")
OURS = text("""
    SELECT bool_and(to_regclass('public.' || name) IS NOT NULL)
    FROM unnest(ARRAY['users', 'ads', 'categories']) AS name
""")
FILLED = text("""
    SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM ads)
        OR EXISTS (SELECT FROM categories)
""")
# Everything in the schema but what an extension brought. The schema itself may be another role's.
# All is listed before anything goes, as what is gone has no name any more.
CLEAR = """
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


class NamedPicture(NamedTuple):
    """A picture that a row names; what is not known of it is None."""

    name: str
    has_variants: bool
    width: int | None
    height: int | None
    # With its variants.
    bytes: int | None


class BackupRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold_deletions(self) -> None:
        """Until the transaction ends no picture is deleted.

        The hold has to be heard of within a minute. The pictures of a snapshot that is taken from
        now on stay: whoever deletes pictures asks, after their rows have gone, whether deletions
        are on hold.
        """
        await self._session.execute(
            text(f"SET LOCAL idle_in_transaction_session_timeout = '{SILENCE}'")
        )
        await self._session.execute(text(f"SELECT pg_advisory_xact_lock({DELETIONS_LOCK})"))

    async def show_life(self) -> None:
        """Raises if deletions are not on hold any more."""
        await self._session.execute(text("SELECT 1"))

    async def are_deletions_held(self) -> bool:
        """Whether a backup holds them. If not, none begins to before the transaction ends."""
        return not (await self._session.execute(text(TRY_DELETIONS_LOCK))).scalar_one()

    async def export_snapshot(self) -> str:
        """A name by which others see the database as the transaction does, while it lasts."""
        await self._session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        name: str = (await self._session.execute(text("SELECT pg_export_snapshot()"))).scalar_one()
        return name

    async def pictures(self) -> AsyncIterator[NamedPicture]:
        """All that rows name, in the order of their bytes. It needs a transaction."""
        await self._session.execute(text("SET LOCAL enable_seqscan = on"))
        options = {"yield_per": ROWS}
        async for row in await self._session.stream(ALL_PICTURES, execution_options=options):
            yield NamedPicture(*row)

    async def picture(self, name: str) -> NamedPicture | None:
        """None if no row names it."""
        row = (await self._session.execute(ONE_PICTURE, {"name": name})).one_or_none()
        return None if row is None else NamedPicture(*row)

    async def count_pictures(self) -> int:
        """About how many there are, without variants."""
        await self._session.execute(text("SET LOCAL enable_seqscan = on"))
        return int((await self._session.execute(text(COUNT))).scalar_one())

    async def count_files(self, *, of_one: int) -> int:
        """About how many there are, where a picture with variants has so many."""
        await self._session.execute(text("SET LOCAL enable_seqscan = on"))
        return int((await self._session.execute(COUNT_FILES, {"of_one": of_one})).scalar_one())

    async def server_version(self) -> int:
        """As 180004 for 18.4."""
        found = await self._session.execute(text("SHOW server_version_num"))
        return int(found.scalar_one())

    async def count_other_sessions(self) -> int:
        """Those of this program."""
        return int((await self._session.execute(OTHERS, {"name": NAME})).scalar_one())

    async def is_empty(self) -> bool:
        """Whether there are no tables, or ours, and nobody has put anything into them."""
        if not (await self._session.execute(TABLES)).scalar_one():
            return True
        is_ours = (await self._session.execute(OURS)).scalar_one()
        return bool(is_ours) and not (await self._session.execute(FILLED)).scalar_one()


async def are_deletions_held_by(writer: Writer) -> bool:
    """As `BackupRepository.are_deletions_held`, at this moment."""
    row = await writer.fetchrow(TRY_DELETIONS_LOCK)
    return row is None or not row["taken"]
