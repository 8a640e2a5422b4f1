"""Restores a backup: first its pictures, then its rows in one transaction; or one ad of it.

Meanwhile the image store is owned by the restore, not by an installation. So all other commands
refuse to work with it, and an interrupted restore is recognised and can be repeated.
"""

import asyncio
import re
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL

from adsvc import migrations
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import ImageStore
from adsvc.kit.storage.protocol import content_of
from adsvc.repositories import deletions as deletion_rows
from adsvc.repositories.deletions import TABLES
from adsvc.repositories.operation import server as server_rows
from adsvc.services import retention
from adsvc.services.installation import RESTORING
from adsvc_ops.backup import plain, verifying
from adsvc_ops.backup.database import DROP_ALL, BackupQueries
from adsvc_ops.backup.plain import DUMP, LIST, Advance, Manifest, Progress
from adsvc_ops.backup.programs import Programs, find_programs, load, rows_of

# In memory, ten megabytes each at most.
PICTURES_AT_ONCE = 32
# A server notices closed connections with a delay.
SETTLING_TRIES, SETTLING_SECONDS = 20, 0.1


@dataclass(frozen=True, slots=True)
class Restore:
    # The directory of a plain one.
    backup: Path
    database: Database
    url: URL
    store: ImageStore
    # Of psql and pg_restore, if they are not the package's.
    programs: Path | None
    progress: Progress

    async def run(self, *, replace: bool, language: str) -> Manifest:
        """Verifies the whole backup before it changes anything. `OperatorError` has the reason."""
        manifest = Manifest.of(self.backup)
        _require_known(manifest)
        version = await self._require_alone()
        programs = find_programs(self.programs, at_least=version // 10_000)
        owner = await self.store.owner()
        mark = f"{RESTORING}{manifest.installation}"
        fresh = not replace and owner != mark
        if fresh:
            await self._require_empty(owner)
        await self._require_whole()
        if owner != mark:
            await self.store.claim(mark, instead_of=owner)
        await self._put_pictures(manifest, fresh=fresh)
        await self._load(manifest, programs, version)
        await migrations.upgrade(self.url, language=language)
        async with self.database.transaction() as transaction:
            await BackupQueries(transaction).restart_log()
        await self.store.claim(str(manifest.installation), instead_of=mark)
        return manifest

    async def _require_alone(self) -> int:
        """The server's version. An `OperatorError` if other processes of adsvc use the database."""
        async with self.database.autocommit() as session:
            looking = BackupQueries(session)
            for _ in range(SETTLING_TRIES):
                others = await looking.count_other_sessions()
                if not others:
                    return await looking.server_version()
                await asyncio.sleep(SETTLING_SECONDS)
        raise OperatorError(
            f"The database {self.database.location} is in use: adsvc has {others} connections to "
            "it. Stop what serves it, and run this again. A pooler keeps connections for a while: "
            "restart it too."
        )

    async def _require_empty(self, owner: str | None) -> None:
        async with self.database.autocommit() as session:
            empty = await BackupQueries(session).is_empty()
            ours = await server_rows.installation_id(session)
        if not empty:
            raise OperatorError(
                f"The database {self.database.location} is not empty. To replace all that is in "
                "it: adsvc restore --replace"
            )
        if owner not in {None, str(ours)} or not await self.store.is_empty():
            raise OperatorError(
                f"The image store {self.store.location} is not empty: it belongs to "
                f"{owner or 'none'}. To restore into it nevertheless: adsvc restore --replace"
            )

    async def _require_whole(self) -> None:
        reading = verifying.faults([self.backup], self.progress)
        async with aclosing(reading) as damaged:
            found = [fault async for fault in damaged]
        if found:
            raise OperatorError("\n".join(["The backup is damaged; nothing was changed.", *found]))

    async def _put_pictures(self, manifest: Manifest, *, fresh: bool) -> None:
        advance = self.progress("Restoring pictures", manifest.pictures)
        async for _, digests in plain.listed(self.backup / LIST):
            for names in plain.batched(list(digests), PICTURES_AT_ONCE):
                await self._put({name: digests[name] for name in names}, advance, fresh=fresh)

    async def _put(self, digests: Mapping[str, str], advance: Advance, *, fresh: bool) -> None:
        """Skips pictures that are there already, from an earlier attempt."""
        contents = await _contents(self.backup, digests)
        present = set() if fresh else await self.store.present(list(digests))
        stored = await asyncio.gather(*(content_of(self.store, name) for name in present))
        same = {
            name for name, found in zip(present, stored, strict=True) if found == contents[name]
        }
        wanted = {name: content for name, content in contents.items() if name not in same}
        if wanted:
            await self.store.put_all(wanted)
        advance(len(contents), sum(map(len, contents.values())))

    async def _load(self, manifest: Manifest, programs: Programs, server_version: int) -> None:
        self.progress("Restoring the database", None)
        rows = verifying.whole(self.backup / DUMP, manifest.files[DUMP])
        async with aclosing(rows) as dumped:
            await load(programs, self.url, dumped, first=DROP_ALL, server_version=server_version)


async def _contents(backup: Path, digests: Mapping[str, str]) -> dict[str, bytes]:
    """`DamagedError` if one of the pictures is not as it was written."""
    pictures = backup / plain.PICTURES
    reading = (
        asyncio.to_thread(verifying.picture, pictures / plain.shard_of(name) / name, digest)
        for name, digest in digests.items()
    )
    return dict(zip(digests, await asyncio.gather(*reading), strict=True))


def _require_known(manifest: Manifest) -> None:
    if not migrations.knows(manifest.revision):
        raise OperatorError(
            f"The backup is of adsvc {manifest.version}, whose schema {manifest.revision} this "
            f"version does not know. {migrations.remedy(manifest.revision)}"
        )


BLOCK = re.compile(rb"COPY public\.(\w+) \((.*)\) FROM stdin;\n")
ESCAPED = re.compile(r"\\(.)")
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}

# By the names of columns.
Fields = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class AdRestore:
    # The directory of a plain one.
    backup: Path
    database: Database
    store: ImageStore
    programs: Programs

    async def run(self, ad_id: int, *, actor: str) -> None:
        """An `OperatorError` if the backup lacks it, an `UndoNotPossibleError` if it exists."""
        below = [table.name for table in deletion_rows.removed_with("ad", "$1")]
        tables = [name for name in below if name not in {"ads", "images"}]
        found = await self._rows({**dict.fromkeys(tables, "ad_id"), "ads": "id"}, {str(ad_id)})
        if not found.get("ads"):
            raise OperatorError(f"The backup {self.backup.name} has no ad {ad_id}.")
        names = {str(row["name"]) for row in found.get("ad_images", ())}
        found |= await self._rows({"images": "name"}, names)
        await self._put_pictures(names)
        [ad] = found["ads"]
        async with self.database.transaction() as transaction:
            number = await deletion_rows.add(
                transaction, ad_id, int(ad["author_id"] or 0), str(ad["title"]), actor
            )
            for table, rows in found.items():
                types = {
                    name: column.type
                    for name, column in TABLES[table].columns.items()
                    if name not in deletion_rows.written_anew(table)
                }
                for row in rows:
                    known = {name: (types[name], row[name]) for name in types.keys() & row.keys()}
                    await deletion_rows.add_row(transaction, number, table, known)
            await retention.undo_deletion(transaction, self.store, number, actor=actor)

    async def _rows(self, keys: Mapping[str, str], values: set[str]) -> dict[str, list[Fields]]:
        """Rows of the dump with one of the values in the column that each table has as its key."""
        dumped = verifying.whole(self.backup / DUMP, Manifest.of(self.backup).files[DUMP])
        found: dict[str, list[Fields]] = {}
        table, columns = "", [""]
        async with aclosing(dumped), aclosing(rows_of(self.programs, dumped, keys)) as lines:
            async for line in lines:
                if block := BLOCK.fullmatch(line):
                    table, columns = block[1].decode(), block[2].decode().split(", ")
                elif table and line != b"\\.\n":
                    fields = dict(zip(columns, line[:-1].decode().split("\t"), strict=True))
                    if fields[keys[table]] in values:
                        found.setdefault(table, []).append(_unescaped(fields))
                else:
                    table = ""
        return found

    async def _put_pictures(self, names: set[str]) -> None:
        wanted = set(files_of(list(names)))
        async for _, digests in plain.listed(self.backup / LIST):
            found = {name: digests[name] for name in wanted & digests.keys()}
            if found:
                await self.store.put_all(await _contents(self.backup, found))


def _unescaped(fields: Mapping[str, str]) -> Fields:
    return {
        name.strip('"'): None
        if text == r"\N"
        else ESCAPED.sub(lambda found: ESCAPES.get(found[1], found[1]), text)
        for name, text in fields.items()
    }
