"""`python -m bench.sizes`: how large tables and indexes are, on a database that it makes for that.

`ADS=` says how many ads it has. The figures stand in docs/scaling.md.
"""

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from .load import BenchError
from .options import Options
from .servers import Site

MEBIBYTE = 1024 * 1024
# What is smaller than this part of all is left out.
LEAST = 0.002

SIZES = """
    SELECT coalesce(indexed.relname, relation.relname) AS table,
        CASE WHEN indexed.oid IS NULL THEN NULL ELSE relation.relname END AS index,
        greatest(relation.reltuples, 0)::bigint AS rows,
        pg_table_size(relation.oid) AS bytes
    FROM pg_class AS relation
    LEFT JOIN pg_index AS of ON of.indexrelid = relation.oid
    LEFT JOIN pg_class AS indexed ON indexed.oid = of.indrelid
    WHERE relation.relnamespace = 'public'::regnamespace AND relation.relkind IN ('r', 'i')
    ORDER BY sum(pg_table_size(relation.oid)) OVER (
        PARTITION BY coalesce(indexed.oid, relation.oid)
    ) DESC, indexed.oid IS NOT NULL, pg_table_size(relation.oid) DESC
"""


@dataclass(frozen=True, slots=True)
class Size:
    table: str
    # None is the table itself, with what is kept apart for being long.
    index: str | None
    rows: int
    bytes: int

    def line(self, ads: int) -> str:
        name = f"`{self.table}`" if self.index is None else f"– `{self.index}`"
        rows = f"{self.rows:,}" if self.index is None else ""
        return f"| {name} | {rows} | {self.bytes / MEBIBYTE:,.1f} | {self.bytes / ads:,.0f} |"


async def measured(address: str) -> Sequence[Size]:
    connection = await asyncpg.connect(address, timeout=60)
    try:
        # Brings the counts of rows up to date, and what waits to be indexed to its place.
        await connection.execute("VACUUM ANALYZE")
        return [Size(**row) for row in await connection.fetch(SIZES)]
    finally:
        await connection.close()


def table(sizes: Sequence[Size], ads: int) -> str:
    total = sum(size.bytes for size in sizes)
    lines = [size.line(ads) for size in sizes if size.bytes >= LEAST * total]
    head = ["| Table – index | Rows | MiB | Bytes an ad |", "|---|--:|--:|--:|"]
    return "\n".join([*head, *lines, Size("all", None, ads, total).line(ads)])


def main() -> int:
    try:
        ads = Options.from_environment().ads
        with tempfile.TemporaryDirectory(prefix="adsvc-bench-") as directory:
            site = Site(Path(directory).resolve() / "site", ads)
            site.seed()
            with site.database() as address:
                sizes = asyncio.run(measured(address.replace("+asyncpg", "")))
    except (BenchError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(f"{ads:,} ads\n\n{table(sizes, ads)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
