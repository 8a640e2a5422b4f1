"""Loaded into the tests of an older release: their databases get the schema of this checkout."""

import asyncio
import importlib
import os
import subprocess
import sys
from pathlib import Path

from sqlalchemy.engine import URL

NEWER = Path(__file__).parents[3] / "src"


async def upgrade(url: URL, revision: str = "head", *, language: str = "english") -> None:
    assert revision == "head"
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    environment = {
        **os.environ,
        "PYTHONPATH": str(NEWER),
        "ADSVC_DATABASE_URL": address,
        "ADSVC_SEARCH_LANGUAGE": language,
        # Few places, which take long to load.
        "ADSVC_COUNTRIES": "LI",
    }
    command = [sys.executable, "-m", "adsvc", "migrate"]
    await asyncio.to_thread(lambda: subprocess.run(command, env=environment, check=True))


# Where 0.3.0 has them.
migrations = importlib.import_module("adsvc.db.migrations")
assert NEWER not in Path(str(migrations.__file__)).parents, "These are not the older release's."
migrations.upgrade = upgrade  # type: ignore[attr-defined]
