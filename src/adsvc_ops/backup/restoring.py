"""Restores a backup: first its pictures, then its rows in one transaction.

Meanwhile the image store is owned by the restore, not by an installation. So all other commands
refuse to work with it, and an interrupted restore is recognised and can be repeated.
"""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL

from adsvc import migrations
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.storage import ImageStore
from adsvc.kit.storage.protocol import content_of
from adsvc.repositories.operation import server as server_rows
from adsvc.services.installation import RESTORING
from adsvc_ops.backup import plain, verifying
from adsvc_ops.backup.database import DROP_ALL, BackupQueries
from adsvc_ops.backup.plain import DUMP, LIST, Advance, Manifest, Progress
from adsvc_ops.backup.programs import Programs, find_programs, load

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
        pictures = self.backup / plain.PICTURES
        reading = [
            asyncio.to_thread(verifying.picture, pictures / plain.shard_of(name) / name, digest)
            for name, digest in digests.items()
        ]
        contents = dict(zip(digests, await asyncio.gather(*reading), strict=True))
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


def _require_known(manifest: Manifest) -> None:
    if not migrations.knows(manifest.revision):
        raise OperatorError(
            f"The backup is of adsvc {manifest.version}, whose schema {manifest.revision} this "
            f"version does not know. {migrations.remedy(manifest.revision)}"
        )
