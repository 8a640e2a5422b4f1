"""The tables, as `alembic/schema.sql` has them."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import NamedTuple

from adsvc.migrations.revisions import directory

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
