"""Brings one ad back from a backup, beside the running service."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import ImageStore
from adsvc.repositories import deletions as deletion_rows
from adsvc.repositories.tables import TABLES
from adsvc.services import retention
from adsvc_ops.backup import plain, verifying
from adsvc_ops.backup.plain import DUMP, LIST, Manifest
from adsvc_ops.backup.programs import Programs, rows_of

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
        wanted, pictures = set(files_of(list(names))), self.backup / plain.PICTURES
        async for _, digests in plain.listed(self.backup / LIST):
            contents = {
                name: await asyncio.to_thread(
                    verifying.picture, pictures / plain.shard_of(name) / name, digests[name]
                )
                for name in wanted & digests.keys()
            }
            if contents:
                await self.store.put_all(contents)


def _unescaped(fields: Mapping[str, str]) -> Fields:
    return {
        name.strip('"'): None
        if text == r"\N"
        else ESCAPED.sub(lambda found: ESCAPES.get(found[1], found[1]), text)
        for name, text in fields.items()
    }
