"""The embedded database against real servers: how it is made, set up, started and stopped."""

import os
import signal
import stat
import tempfile
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from adsvc_ops.embedded import EmbeddedPostgres
from support.running.embedded import FAST, is_running, query, recall, remember, server_pid

pytestmark = pytest.mark.heavy


def test_a_new_database_is_postgresql_18_with_utf8_and_utc(place: Path) -> None:
    with EmbeddedPostgres(place) as postgres:
        assert postgres.url.startswith("postgresql+asyncpg://adsvc@/adsvc?host=/")
        assert query(postgres, "SHOW server_version").startswith("18.")
        assert query(postgres, "SHOW timezone") == "UTC"
        assert query(postgres, "SHOW fsync") == "on"
        assert query(postgres, "SELECT current_database() || current_user") == "adsvcadsvc"
        assert query(postgres, "SHOW server_encoding") == "UTF8"
        assert query(postgres, "SELECT lower('ÄÖЖ')") == "äöж"


def test_the_server_listens_on_a_socket_of_its_user_alone(directory: Path) -> None:
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        assert query(postgres, "SHOW listen_addresses") == ""
        assert query(postgres, "SHOW unix_socket_permissions") == "0700"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_data_survive_a_restart(directory: Path) -> None:
    with EmbeddedPostgres(directory) as postgres:
        remember(postgres)
    assert not is_running(directory)
    with EmbeddedPostgres(directory) as postgres:
        assert recall(postgres) == "elephant"


def test_starting_and_stopping_twice_does_no_harm(directory: Path) -> None:
    postgres = EmbeddedPostgres(directory, options=FAST)
    postgres.stop()
    postgres.start()
    started = server_pid(directory)
    postgres.start()
    assert server_pid(directory) == started
    postgres.stop()
    assert not is_running(directory)
    postgres.stop()


def test_settings_reach_the_server_whatever_they_contain(directory: Path) -> None:
    path = r'''"it's", "$HOME", "\\", "`pwd`", "%d"'''
    options = FAST | {"search_path": path, "port": "7", "listen_addresses": "*"}
    with EmbeddedPostgres(directory, options=options) as postgres:
        assert query(postgres, "SHOW search_path") == path
        assert query(postgres, "SHOW fsync") == "off"
        assert query(postgres, "SHOW listen_addresses") == ""


def test_the_environment_neither_disturbs_nor_reaches_the_server(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPORT", "7777")
    monkeypatch.setenv("PGDATA", "/nonexistent")
    monkeypatch.setenv("PGOPTIONS", "--nonsense")
    monkeypatch.setenv("ADSVC_JWT_SECRET", "hush")
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        environment = query(
            postgres,
            "CREATE TEMPORARY TABLE environment (line text)",
            "COPY environment FROM PROGRAM 'env'",
            "SELECT string_agg(line, ' ') FROM environment",
        )
    assert "PGDATA=" in environment
    assert "hush" not in environment


@pytest.mark.parametrize("name", ["x" * 120, """it's, "$HOME" `né` %41 \\ & more"""])
def test_the_path_may_be_long_or_odd(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = home / name / "postgres"
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        sockets = Path(str(make_url(postgres.url).query["host"]))
        assert sockets.parent == Path(tempfile.gettempdir()).resolve()
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(tempfile, "tempdir", str(home))
            # Whoever has another TMPDIR still finds the server where it is.
            with EmbeddedPostgres(directory) as other:
                assert query(other, "SELECT 1") == "1"
                assert other.url == postgres.url
        os.kill(server_pid(directory), signal.SIGKILL)
        postgres.start()
        assert query(postgres, "SELECT 1") == "1"
    assert not is_running(directory)
    assert not sockets.exists()


def test_a_long_log_is_put_aside(directory: Path) -> None:
    with EmbeddedPostgres(directory, options=FAST):
        pass
    log = directory / "server.log"
    os.truncate(log, 11 * 1024 * 1024)
    with EmbeddedPostgres(directory, options=FAST):
        assert 0 < log.stat().st_size < 1024 * 1024
