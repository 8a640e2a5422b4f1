"""Settings that cannot work: no port is opened, and the message says which setting it is."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy.engine import URL

from faults.conftest import SECRET, NewService
from faults.postgres import Postgres
from faults.served import HOST, Service

pytestmark = pytest.mark.drill

DATABASE = "postgresql://adsvc@127.0.0.1:1/adsvc"


IMPOSSIBLE: list[tuple[dict[str, str], str]] = [
    ({"jwt_secret": ""}, "ADSVC_JWT_SECRET"),
    ({"jwt_secret": "too short"}, "ADSVC_JWT_SECRET"),
    ({"jwt_secret": "x" * 64}, "ADSVC_JWT_SECRET"),
    ({"jwt_secret": "change-me-change-me-change-me-change-me"}, "ADSVC_JWT_SECRET"),
    ({"database_url": "mysql://adsvc@127.0.0.1/adsvc"}, "must begin with postgresql://"),
    ({"database_url": "no address"}, "ADSVC_DATABASE_URL"),
    ({}, "ADSVC_DATABASE_URL"),
    ({"trusted_proxies": "everybody"}, "ADSVC_TRUSTED_PROXIES"),
    ({"cors_origins": "*"}, "ADSVC_CORS_ORIGINS"),
    ({"workers": "0"}, "ADSVC_WORKERS"),
    ({"image_max_pixels": "many"}, "ADSVC_IMAGE_MAX_PIXELS"),
]


def test_row_17_what_cannot_work_is_not_started(tmp_path: Path) -> None:
    def start(number: int) -> tuple[tuple[int | None, bool], str]:
        directory = tmp_path / str(number)
        directory.mkdir()
        usual = {"database_url": DATABASE, "jwt_secret": SECRET}
        service = Service(directory, **{**usual, **IMPOSSIBLE[number][0]})
        try:
            return _run(service), service.log()
        finally:
            service.end()

    # As many at a time as small machines have processors.
    with ThreadPoolExecutor(2) as several:
        ends = [*several.map(start, range(len(IMPOSSIBLE)))]
    for (settings, named), (end, log) in zip(IMPOSSIBLE, ends, strict=True):
        assert (settings, end) == (settings, (1, False))
        assert named in log, settings
        assert "Traceback" not in log, settings
        for secret in (SECRET, "too short", "change-me"):
            assert secret not in log, settings


def _run(service: Service) -> tuple[int | None, bool]:
    """The exit status, and whether anybody could connect before it ended."""
    service.launch()
    opened = False
    while (status := service.poll()) is None and not opened:
        with socket.socket() as probe, suppress(OSError):
            probe.settimeout(0.05)
            probe.connect((HOST, service.port))
            opened = True
        # The processor is for the one that starts.
        time.sleep(0.002)
    return status, opened


async def test_row_17_a_database_without_a_schema_is_not_served(
    new_service: NewService, unmigrated: str
) -> None:
    service = new_service(database_url=unmigrated)
    assert _run(service) == (1, False)
    assert "adsvc migrate" in service.log()


async def test_row_17_a_schema_of_another_version_is_not_served(
    new_service: NewService, postgres: Postgres, database: URL
) -> None:
    connection = await postgres.connect(str(database.database))
    await connection.execute("UPDATE alembic_version SET version_num = 'of tomorrow'")
    # The oldest version that can work on it.
    await connection.execute("UPDATE installation SET oldest_head = 'of tomorrow'")
    await connection.close()
    service = new_service()
    assert _run(service) == (1, False)
    assert "revision of tomorrow" in service.log()


class _Stranger(BaseHTTPRequestHandler):
    """Answers 200 to everything."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


async def test_the_answer_of_another_process_is_not_taken_for_the_services(tmp_path: Path) -> None:
    """These drills choose a port before the service has it."""
    service = Service(tmp_path, database_url=DATABASE, jwt_secret=SECRET)
    with ThreadingHTTPServer((HOST, service.port), _Stranger) as stranger:
        thread = Thread(target=stranger.serve_forever)
        thread.start()
        try:
            with pytest.raises(AssertionError):
                await service.start()
        finally:
            service.end()
            stranger.shutdown()
            thread.join()
