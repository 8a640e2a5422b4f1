"""Prints the database's schema as it is after the last migration: `alembic/schema.sql`.

Tables, indexes, functions and triggers stand in many migrations, which partly replace each other;
this is the one place where they can be read as PostgreSQL runs them. `make format` writes the
file, `make gates` compares it.
"""

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import make_url

from adsvc.db import migrations
from adsvc_ops.embedded import EmbeddedPostgres, packaged_programs

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

HEADING = "-- The schema after the last migration. Made by `make format`; not run by anything.\n"

# What pg_dump writes for psql, and its own headings.
NOISE = re.compile(r"^(?:--.*|SET .*|SELECT pg_catalog\.set_config.*|\\\w+ .*)\n", re.MULTILINE)


def main() -> None:
    programs = packaged_programs()
    if programs is None:
        sys.exit("The schema is dumped by the embedded PostgreSQL, which is not installed.")
    with (
        TemporaryDirectory(prefix="adsvc-") as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options=FAST) as postgres,
    ):
        url = make_url(postgres.url)
        asyncio.run(migrations.upgrade(url, language="english"))
        dumped = subprocess.run(
            (
                *(programs / "pg_dump", "--schema-only", "--no-owner", "--no-privileges"),
                *("--no-comments", "--exclude-table=alembic_version"),
                url.set(drivername="postgresql").render_as_string(hide_password=False),
            ),
            check=True,
            capture_output=True,
            text=True,
        )
    schema = re.sub(r"\n{3,}", "\n\n", NOISE.sub("", dumped.stdout))
    sys.stdout.write(HEADING + schema.strip() + "\n")


if __name__ == "__main__":
    main()
