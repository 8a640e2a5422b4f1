"""Loaded into the tests of an older release: their databases get the schema of this checkout."""

import asyncio
import importlib
import os
import subprocess
import sys
from pathlib import Path

import asyncpg
from sqlalchemy.engine import URL

from adsvc.db import migrations

NEWER = Path(__file__).parents[3] / "src"


async def upgrade(url: URL, revision: str = "head", *, language: str = "english") -> None:
    assert revision == "head"
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    environment = {
        **os.environ,
        "PYTHONPATH": str(NEWER),
        "ADSVC_DATABASE_URL": address,
        "ADSVC_SEARCH_LANGUAGE": language,
    }
    command = [sys.executable, "-m", "adsvc", "migrate"]
    await asyncio.to_thread(lambda: subprocess.run(command, env=environment, check=True))
    # Between tests 0.2 begins all sequences anew, but empties only the tables that it knows: the
    # log of changes would have the same ids twice. No installation begins a sequence anew.
    connection = await asyncpg.connect(address)
    try:
        await connection.execute("ALTER TABLE changes DROP CONSTRAINT pk_changes")
    finally:
        await connection.close()


assert NEWER not in Path(str(migrations.__file__)).parents, "These are not the older release's."
# It has them of zxcvbn, which is no library of this checkout. The tests here are of the database.
passwords = importlib.import_module("adsvc.services.accounts.passwords")
passwords.common_passwords = str  # type: ignore[attr-defined]
migrations.upgrade = upgrade  # type: ignore[assignment] # the older one has fewer parameters
