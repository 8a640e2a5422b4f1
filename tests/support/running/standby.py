"""A standby of an embedded PostgreSQL, by the programs that come with it."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from sqlalchemy.engine import URL, make_url

from adsvc_ops.embedded import EmbeddedPostgres
from adsvc_ops.embedded.cluster import Cluster
from support.running.embedded import TRUSTING

FAST = {"fsync": "off", "wal_receiver_status_interval": "1s", **TRUSTING}


class Standby:
    """Follows the primary at `url` by streaming; `directory` is its own."""

    def __init__(
        self, primary: URL, directory: Path, options: Mapping[str, str] | None = None
    ) -> None:
        self._data = directory / "standby"
        self._postgres = EmbeddedPostgres(self._data, options=FAST if options is None else options)
        self._cluster = Cluster(self._data)
        self._copy(primary)

    def _copy(self, primary: URL) -> None:
        self._data.mkdir()
        os.chown(self._data, *self._cluster.account)
        self._data.chmod(0o700)
        self._cluster.make_reachable()
        self._cluster.must_run(
            *("pg_basebackup", "--pgdata=.", "--write-recovery-conf", "--checkpoint=fast"),
            *(f"--host={primary.query['host']}", "--port=5432", "--username=adsvc", "--no-sync"),
        )

    @property
    def url(self) -> URL:
        return make_url(self._postgres.url)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._postgres.start()

    def stop(self) -> None:
        self._postgres.stop()

    def promote(self) -> None:
        self._cluster.must_run("pg_ctl", "promote", "-w")

    def rebuild(self, primary: URL) -> None:
        """Forgets its history, and follows the primary again."""
        self.stop()
        shutil.rmtree(self._data)
        self._copy(primary)
        self.start()
