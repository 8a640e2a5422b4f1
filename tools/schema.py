"""The database's schema as it is after the last migration, in a PostgreSQL of its own.

`python tools/schema.py` prints it: `alembic/schema.sql`. Migrations partly replace what earlier
ones made. This file alone has tables, indexes, functions and triggers as PostgreSQL runs them.
`make format` writes it, `make gates` compares it.

`python tools/schema.py notes` begins the next migration. It is `make migration M=notes`.
"""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from alembic import command
from alembic.config import Config
from alembic.script import Script
from sqlalchemy import URL, make_url

from adsvc import migrations
from adsvc_ops.embedded import EmbeddedPostgres, packaged_programs

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

HEADING = "-- The schema after the last migration. Made by `make format`; never run.\n"

# What pg_dump writes for psql, and its own headings.
NOISE = re.compile(r"^(?:--.*|SET .*|SELECT pg_catalog\.set_config.*|\\\w+ .*)\n", re.MULTILINE)


@contextmanager
def current_schema() -> Iterator[URL]:
    with (
        TemporaryDirectory(prefix="adsvc-") as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options=FAST) as postgres,
    ):
        url = make_url(postgres.url)
        asyncio.run(migrations.upgrade(url, language="english"))
        yield url


def dumped(programs: Path) -> str:
    with current_schema() as url:
        done = subprocess.run(
            (
                *(programs / "pg_dump", "--schema-only", "--no-owner", "--no-privileges"),
                *("--no-comments", "--exclude-table=alembic_version"),
                url.set(drivername="postgresql").render_as_string(hide_password=False),
            ),
            check=True,
            capture_output=True,
            text=True,
        )
    schema = re.sub(r"\n{3,}", "\n\n", NOISE.sub("", done.stdout)).replace("public.", "")
    return HEADING + schema.strip() + "\n"


def write_migration(title: str) -> None:
    # Alembic's own ids are random; the service reads which of two is newer from their numbers.
    number = f"{int(migrations.head()) + 1:04}"
    written = command.revision(Config("alembic.ini"), title, rev_id=number)
    sys.stdout.write(f"{cast('Script', written).path}\n")


def main() -> None:
    programs = packaged_programs()
    if programs is None:
        sys.exit("This needs the embedded PostgreSQL, which is not installed.")
    if len(sys.argv) > 1:
        write_migration(" ".join(sys.argv[1:]))
    else:
        sys.stdout.write(dumped(programs))


if __name__ == "__main__":
    main()
