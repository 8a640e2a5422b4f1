"""Each fault is made, and found."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.repositories.operation import server
from adsvc.services.doctor import database
from adsvc.services.doctor.pictures import CREDENTIALS
from conftest import DatabaseFactory, Environment
from support.running.commands import adsvc, done
from support.running.doctor import examined, one

pytestmark = pytest.mark.heavy


@pytest.fixture
def sound(environment: Environment) -> Environment:
    done("seed", "--users", "1", "--ads", "1", environment=environment)
    return environment


async def sql(environment: Environment, statement: str) -> None:
    engine = create_async_engine(environment["ADSVC_DATABASE_URL"], isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()


async def test_what_is_in_order_is_no_fault_and_what_is_not_says_what_to_do(
    sound: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = examined(sound)
    # The tests' settings are quick, and their server forgets on a power cut.
    assert {check for check, rows in found.items() if rows[0][0] == "fault"} == {"database"}
    assert "fsync" in found["database"][0][1]
    assert len(found["risks"]) == 2
    for check in ("variables", "secret", "schema", "rights", "clock", "connections", "notices"):
        one(found, check, "ok")
    one(found, "store", "ok")
    one(found, "storing", "ok")

    found = examined(
        sound, databse_url="x", image_grace_seconds="5", disk_reserve_bytes="0",
        http_basic="true", ad_editors="authenticated", database_pool_size="500",
        connections="900000", storefront="on", jwt_secret="",
    )  # fmt: skip
    assert "ADSVC_DATABSE_URL" in one(found, "variables", "warning")
    assert len(found["risks"]) == 6
    assert "1252 connections" in one(found, "connections", "fault")
    assert "files" in one(found, "open files", "warning")
    one(found, "secret", "fault")
    url = sound["ADSVC_DATABASE_URL"]
    found = examined(
        sound, database_pool_size="500", workers="2", metrics_port="0", database_replica_url=url
    )
    assert "2507 connections" in one(found, "connections", "fault")
    assert "1000 connections" in one(found, "replicas", "warning")

    images = Path(sound["ADSVC_DATA_DIR"], "images")
    (images / ".installation").write_text("another")
    monkeypatch.setattr(database, "CLOCK_SECONDS", -1.0)
    await sql(sound, "UPDATE alembic_version SET version_num = '0001'")
    found = examined(sound, disk_reserve_bytes=str(2**50))
    assert "another" in one(found, "store", "fault")
    assert "adsvc migrate" in found["schema"][0][2]
    one(found, "clock", "fault")
    assert found["disk"][0][0] == "fault"
    await sql(sound, "UPDATE alembic_version SET version_num = '9999'")
    one(examined(sound), "schema", "warning")
    await sql(sound, "UPDATE installation SET oldest_head = '9999'")
    found = examined(sound, data_dir=str(tmp_path / "nowhere"))
    assert "newer" in found["schema"][0][2]
    one(found, "schema", "fault")
    one(found, "store", "warning")
    one(found, "storing", "fault")
    assert not (tmp_path / "nowhere").exists()


def test_without_a_database_or_with_wrong_settings_that_is_told(tmp_path: Path) -> None:
    empty = {"ADSVC_DATA_DIR": str(tmp_path / "nothing"), "ADSVC_DATABASE_URL": ""}
    assert "no database here" in one(examined(empty), "database", "fault")
    assert not (tmp_path / "nothing").exists()
    assert "ADSVC_PORT" in one(examined(empty, port="x"), "settings", "fault")
    # The machine is looked at all the same: it may tell why.
    found = examined(empty, databse_url="x")
    assert "ADSVC_DATABSE_URL" in one(found, "variables", "warning")
    assert "schema" not in found
    away = {**empty, "ADSVC_DATABASE_URL": "postgresql://a@127.0.0.1:1/a"}
    [(level, seen, advice)] = examined(away)["database"]
    assert level == "fault"
    assert "a on 127.0.0.1:1 cannot be used: [Errno" in seen
    assert "ADSVC_DATABASE_URL" in advice


def test_why_a_database_does_not_let_in_is_told(sound: Environment) -> None:
    url = make_url(sound["ADSVC_DATABASE_URL"]).set(database="elsewhere")
    found = examined(sound, database_url=url.render_as_string(hide_password=False))
    assert 'cannot be used: database "elsewhere"' in one(found, "database", "fault")


async def test_a_database_without_tables_is_told_of(
    environment: Environment, bare_database: DatabaseFactory
) -> None:
    async with bare_database() as url:
        address = url.render_as_string(hide_password=False)
        found = examined(environment, database_url=address)
    assert "adsvc migrate" in found["schema"][0][2]
    assert "outbox" in one(found, "work", "fault")


def test_a_bucket_without_credentials_is_told_where_they_belong(
    sound: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = {
        "image_store": "s3://ads/pictures", "s3_endpoint": "http://127.0.0.1:1",
        "s3_region": "us-east-1", "s3_timeout_seconds": "1",
    }  # fmt: skip
    for name in (*CREDENTIALS, "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "AWS_ACCESS_KEY_ID" in examined(sound, **bucket)["storing"][0][2]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    [(_, seen, advice)] = examined(sound, **bucket)["storing"]
    assert "AWS_ACCESS_KEY_ID" not in advice
    assert "Error performing PUT" in seen
    assert "\n" not in seen


def test_replicas_are_looked_at_one_by_one(
    sound: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = make_url(sound["ADSVC_DATABASE_URL"])
    hosts = (str(url.query["host"]), "127.0.0.1:1")
    several = url.update_query_dict({"host": hosts, "target_session_attrs": "standby"})
    address = several.render_as_string(hide_password=False)
    there, away = examined(sound, database_replica_url=address)["replicas"]
    assert (there[0], away[0]) == ("ok", "fault")
    assert "127.0.0.1:1 does not answer" in away[1]
    found = examined(sound, database_replica_url=sound["ADSVC_DATABASE_URL"])
    assert "it is the primary" in one(found, "replicas", "warning")
    # Another server has an identifier of its own.
    monkeypatch.setattr(server, "SYSTEM", "SELECT pg_backend_pid() AS system")
    found = examined(sound, database_replica_url=sound["ADSVC_DATABASE_URL"])
    assert "no replica of this database" in one(found, "replicas", "fault")


def test_people_get_a_table_with_whole_paths(environment: Environment, tmp_path: Path) -> None:
    directory = tmp_path / f"of_a_name_{'x' * 60}"
    changed = {**environment, "ADSVC_DATA_DIR": str(directory), "COLUMNS": "80"}
    finished = adsvc("doctor", environment=changed)
    assert finished.returncode == 1
    assert "fsync" in finished.stdout
    assert "…" not in finished.stdout


@contextmanager
def _answering(headers: Mapping[str, str]) -> Iterator[str]:
    """A site that answers with these."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response_only(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_site_is_asked_as_visitors_ask_it(sound: Environment) -> None:
    with _answering({"Server": "another"}) as address:
        assert "not adsvc" in one(examined(sound, site_url=address), "proxy", "fault")
    late = {"X-Request-Id": "1", "Date": formatdate(0, usegmt=True)}
    with _answering(late) as address:
        rows = examined(sound, site_url=address)["proxy"]
    assert [level for level, _, _ in rows] == ["warning", "warning"]
    assert "clock" in rows[1][1]
    assert "does not answer" in one(examined(sound, site_url=address), "proxy", "warning")
