"""`adsvc doctor` finds each fault that is made here."""

import asyncio
import json
import os
import re
import resource
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.db.replica import AT_REPLICA
from adsvc.kit.db.servers import Servers
from adsvc.kit.exporter import MetricsFiles, publishing
from adsvc.kit.process.setup import FOR_EACH_CONNECTION, RESERVED
from adsvc.metrics import METRICS
from adsvc.repositories.events import SequencerRepository
from adsvc.services.webhooks import WebhookSecrets
from adsvc.settings import Settings, Storefront
from adsvc_ops.doctor import database, machine
from adsvc_ops.doctor.findings import CheckContext, Severity, reason_of
from adsvc_ops.doctor.site import CREDENTIALS
from adsvc_ops.embedded import EmbeddedPostgres
from conftest import DatabaseFactory, Environment
from support.mail.server import make_certificate
from support.running.commands import adsvc, done, refused, run_here, sql
from support.running.doctor import examined, one
from support.running.metrics import metrics_listener
from support.s3.light import LightS3, Trouble
from support.s3.server import S3Server
from support.scene.api import Api
from support.scene.warmth import WAIT_SECONDS

pytestmark = pytest.mark.heavy


@pytest.fixture
def sound(environment: Environment) -> Environment:
    done("seed", "--users", "1", "--ads", "1", environment=environment)
    return environment


async def test_what_is_in_order_is_no_fault_and_what_is_not_says_what_to_do(
    sound: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "AdsvcTest" in done("doctor", "--test-alert", environment=sound)
    assert await sql(sound, "SELECT succeeded_at <= now() FROM jobs WHERE name = 'test_alert'")
    found = examined(sound)
    # The tests' settings are quick, and their server forgets on a power cut.
    assert {check for check, rows in found.items() if rows[0][0] == "fault"} == {"database"}
    assert "fsync" in found["database"][0][1]
    assert len(found["risks"]) == 3
    for check in (
        "variables", "secret", "schema", "rights", "clock", "connections", "notices", "event log",
    ):  # fmt: skip
        one(found, check, "ok")
    one(found, "store", "ok")
    one(found, "storing", "ok")
    assert "never" in one(found, "backups", "warning")
    for hours, level in ((35, "ok"), (37, "warning")):
        await sql(
            sound,
            "INSERT INTO jobs (name, succeeded_at)"  # noqa: S608
            f" VALUES ('backup', now() - interval '{hours} hours')"
            " ON CONFLICT (name) DO UPDATE SET succeeded_at = excluded.succeeded_at",
        )
        assert f"{hours} hours ago" in one(examined(sound), "backups", level)

    found = examined(
        sound, databse_url="x", image_grace_seconds="5", disk_reserve_bytes="0",
        http_basic="true", ad_editors="authenticated", database_pool_size="500",
        connections="900000", storefront="on", jwt_secret="",
    )  # fmt: skip
    assert "ADSVC_DATABSE_URL" in one(found, "variables", "warning")
    assert len(found["risks"]) == 7
    assert any("ADSVC_CONTACT" in risk[1] for risk in found["risks"])
    found_hidden = examined(sound, storefront="on", contact="hidden")
    assert not any("ADSVC_CONTACT" in risk[1] for risk in found_hidden["risks"])
    assert "1256 connections" in one(found, "connections", "fault")
    assert "files" in one(found, "open files", "warning")
    one(found, "secret", "fault")
    url = sound["ADSVC_DATABASE_URL"]
    found = examined(
        sound, database_pool_size="500", workers="2", metrics_port="0", database_replica_url=url
    )
    assert "2 of all nodes 2516;" in one(found, "connections", "fault")
    assert "1000 connections" in one(found, "replicas", "warning")

    images = Path(sound["ADSVC_DATA_DIR"], "images")
    (images / ".installation").write_text("another")
    monkeypatch.setattr(database, "CLOCK_SECONDS", -1.0)
    await sql(sound, "UPDATE alembic_version SET version_num = '0001'")
    found = examined(sound, disk_reserve_bytes=str(2**50))
    assert "another" in one(found, "store", "fault")
    assert "Install 0.3.0 first" in found["schema"][0][2]
    one(found, "clock", "fault")
    assert found["disk"][0][0] == "fault"
    await sql(sound, "UPDATE alembic_version SET version_num = '9999'")
    one(examined(sound), "schema", "warning")
    await sql(sound, "UPDATE installation SET oldest_head = '9999'")
    found = examined(sound, data_dir=str(tmp_path / "nowhere"))
    assert "newer" in found["schema"][0][2]
    one(found, "schema", "fault")
    # Rows name pictures, and there are none.
    one(found, "store", "fault")
    one(found, "storing", "fault")
    assert not (tmp_path / "nowhere").exists()


async def test_legal_pages_that_a_storefront_lacks_are_reported(
    api: Api, settings: Settings, tmp_path: Path
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    built = {"storefront": Storefront.ON, "storefront_dir": tmp_path, "pages_dir": pages}
    changed = settings.model_copy(update=built)
    context = CheckContext(changed, {}, (), api.state.database, api.state.store)
    found = await machine.storefront(context)
    assert [finding.part for finding in found] == ["", "imprint", "privacy"]
    (pages / "impressum.de.md").write_text("# Impressum")
    (pages / "privacy.md").write_text("# Privacy")
    assert len(await machine.storefront(context)) == 1


async def test_too_few_files_for_all_connections_are_reported(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = CheckContext(settings, {}, (), None, None)  # type: ignore[arg-type]
    needed = FOR_EACH_CONNECTION * settings.connections + RESERVED + settings.database_connections
    for hard, severity in ((needed - 1, Severity.WARNING), (needed, Severity.OK)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, hard=hard: (hard, hard))
        [found] = await machine.files(context)
        assert found.severity is severity, hard


def test_a_missing_database_and_wrong_settings_are_reported(tmp_path: Path) -> None:
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
    assert "a on 127.0.0.1:1 cannot be used: nothing listens there. [Errno" in seen
    assert "correct host and port" in advice


def test_an_embedded_database_that_root_starts_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {"ADSVC_DATA_DIR": str(tmp_path / "nothing"), "ADSVC_DATABASE_URL": ""}
    away = {**here, "ADSVC_DATABASE_URL": "postgresql://a@127.0.0.1:1/a"}
    for user, environment, level in (
        (0, here, "warning"), (0, away, "ok"), (1000, here, "ok"),
    ):  # fmt: skip
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        seen = one(examined(environment), "user", level)
        assert ("runs as root" in seen) == (user == 0)


async def test_the_reason_a_database_refuses_a_connection_is_reported_once(
    sound: Environment,
) -> None:
    right = make_url(sound["ADSVC_DATABASE_URL"])
    await sql(sound, "CREATE ROLE full_up LOGIN CONNECTION LIMIT 0")
    try:
        for wrong, seen, advice in (
            ({"database": "elsewhere"}, "there is no such database", "Create it"),
            ({"host": "database.invalid", "query": {}}, "its name is not found", "DNS"),
            ({"host": "127.0.0.1", "port": 1, "query": {}}, "nothing listens there", "Start"),
            ({"username": "full_up"}, "all of its connections are in use", "max_connections"),
        ):
            url = right.set(**wrong).render_as_string(hide_password=False)
            found = examined(sound, database_url=url)
            [(level, said, what_to_do)] = found["database"]
            assert level == "fault"
            assert seen in said
            assert advice in what_to_do
            # What needs the database is not checked, and what does not need it is.
            assert "schema" not in found
            one(found, "storing", "ok")
    finally:
        await sql(sound, "DROP ROLE full_up")


def test_a_plan_of_another_session_means_a_pooler() -> None:
    for error in (
        asyncpg.DuplicatePreparedStatementError("exists"),
        asyncpg.InvalidSQLStatementNameError("does not exist"),
    ):
        wrapped = DatabaseUnavailableError()
        wrapped.__cause__ = error
        reason = reason_of(wrapped)
        assert reason is not None
        assert "ADSVC_DATABASE_POOLING=transaction" in reason.advice


def test_a_certificate_that_has_expired_is_named_with_its_date(
    sound: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    certificate = make_certificate(tmp_path, until=datetime(2024, 5, 6, tzinfo=UTC))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with _answering({"X-Request-Id": "1"}, tls=context) as address:
        found = examined(
            sound, site_url=address, image_store="s3://ads/pictures", s3_endpoint=address,
            s3_region="us-east-1", s3_timeout_seconds="1",
        )  # fmt: skip
    for check, level in (("storing", "fault"), ("store", "fault"), ("proxy", "warning")):
        seen = one(found, check, level)
        assert "certificate has expired (valid until 2024-05-06)" in seen
    with _answering({"X-Request-Id": "1"}) as address:
        secure = address.replace("http:", "https:")
        assert "there is no TLS" in one(examined(sound, site_url=secure), "proxy", "warning")


async def test_a_database_without_tables_is_reported(
    environment: Environment, bare_database: DatabaseFactory
) -> None:
    async with bare_database() as url:
        address = url.render_as_string(hide_password=False)
        found = examined(environment, database_url=address)
    assert "adsvc migrate" in found["schema"][0][2]
    assert "outbox" in one(found, "work", "fault")


async def test_webhooks_that_fail_and_secrets_that_cannot_be_read(sound: Environment) -> None:
    one(examined(sound), "webhooks", "ok")
    stored = WebhookSecrets(sound["ADSVC_JWT_SECRET"]).encrypted(WebhookSecrets.new()).hex()
    await sql(
        sound,
        "INSERT INTO webhooks (url, types, secret, failures, failing_since) VALUES"  # noqa: S608
        f" ('https://a.test/', '{{ad.sold}}', '\\x{stored}', 9, now() - interval '50 min'),"
        " ('https://b.test/', '{ad.sold}', '\\x00', 0, NULL)",
    )
    assert "webhook 2" in one(examined(sound), "webhooks", "fault")
    await sql(sound, "UPDATE webhooks SET enabled = false WHERE id = 2")
    one(examined(sound), "webhooks", "ok")
    await sql(sound, "UPDATE webhooks SET failing_since = now() - interval '70 min'")
    assert "Webhook 1 has failed 9 times" in one(examined(sound), "webhooks", "warning")


async def test_secrets_of_webhooks_are_read_beside_the_embedded_database(
    embedded_environment: Environment,
) -> None:
    done("migrate", environment=embedded_environment)
    data = Path(embedded_environment["ADSVC_DATA_DIR"])
    stored = WebhookSecrets((data / "jwt_secret").read_text()).encrypted(WebhookSecrets.new())
    with EmbeddedPostgres(data / "postgres") as postgres:
        await sql(
            {"ADSVC_DATABASE_URL": postgres.url},
            "INSERT INTO webhooks (url, types, secret) VALUES"  # noqa: S608
            f" ('https://a.test/', '{{ad.sold}}', '\\x{stored.hex()}')",
        )
        assert one(examined(embedded_environment), "webhooks", "ok") == "No webhook fails."


async def test_steps_that_do_not_keep_up_with_the_log(sound: Environment) -> None:
    one(examined(sound), "following", "ok")
    await sql(sound, "CREATE TABLE events_of_any_day PARTITION OF events DEFAULT")
    await sql(
        sound,
        "INSERT INTO events (id, day, at, type, data) SELECT max(position) + 1, current_date,"
        " now() - interval '10 min', 'user.registered', '{}' FROM consumers"
        " WHERE name NOT IN ('endings', 'own-endings')",
    )
    found = examined(sound)["following"]
    assert {status for status, *_ in found} == {"warning"}
    await sql(sound, "UPDATE consumers SET position = position + 9")
    one(examined(sound), "following", "ok")


async def test_maintenance_is_warned_of(sound: Environment) -> None:
    closed = """'{"mode": "read-only", "text": "", "retry_after": 60}'"""
    await sql(sound, f"UPDATE installation SET maintenance = {closed}")  # noqa: S608
    assert one(examined(sound), "maintenance", "warning") == "Maintenance is read-only."


async def test_passkeys_of_another_host_and_without_encryption(sound: Environment) -> None:
    assert one(examined(sound), "passkeys", "ok") == "There are no passkeys."
    await sql(
        sound,
        "INSERT INTO passkeys (user_id, name, credential_id, public_key, sign_count,"
        " backup_eligible, backed_up, rp_id) SELECT min(id), 'A', bytes, '', 0, false, false, rp_id"
        " FROM users, (VALUES ('\\x01'::bytea, 'localhost'), ('\\x02', 'ads.test'),"
        " ('\\x03', 'ads.test')) AS made (bytes, rp_id) GROUP BY bytes, rp_id",
    )
    assert "localhost: 2 for ads.test" in one(examined(sound), "passkeys", "warning")
    # Before the address changes, it says what will be of no use.
    found = examined(sound, site_url="https://www.ads.test")
    assert "www.ads.test: 2 for ads.test, 1 for localhost" in found["passkeys"][0][1]
    await sql(sound, "DELETE FROM passkeys WHERE rp_id = 'localhost'")
    assert "not https" in one(examined(sound, site_url="http://ads.test"), "passkeys", "warning")
    one(examined(sound, site_url="https://ads.test"), "passkeys", "ok")


async def test_a_log_of_events_that_stands_still(
    sound: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOG_SECONDS", 1.0)
    assert "No process" in one(examined(sound), "event log", "ok")
    sequencer = await Servers(make_url(sound["ADSVC_DATABASE_URL"])).connect(purpose="listener")
    try:
        assert "No process is the sequencer" in examined(sound)["event log"][0][1]
        events = SequencerRepository(sequencer)
        assert await events.lead()
        waits, lacks = examined(sound)["event log"]
        assert "not in the log" in waits[1]
        assert lacks[:2] == ("fault", "The log has no partition for today.")
        await events.keep_partitions(30)
        await events.move()
        one(examined(sound), "event log", "ok")
        await sql(sound, "UPDATE ads SET price = price + 1")
        one(examined(sound), "event log", "ok")
        await sql(sound, "UPDATE changes SET at = at - interval '1 min'")
        assert "not in the log" in one(examined(sound), "event log", "fault")
        await sql(sound, f"DROP TABLE events_{datetime.now(UTC) + timedelta(days=1):%Y%m%d}")
        await events.move()
        assert "partition for tomorrow" in one(examined(sound), "event log", "fault")
    finally:
        sequencer.terminate()


def test_settings_at_fault_do_not_end_the_examination(sound: Environment) -> None:
    """Each is reported, and what does not need it is checked with the others."""
    found = examined(sound, jwt_secret="change-me" * 8, port="x", disk_reserve_bytes=str(2**50))
    assert [seen.split(":")[0] for _, seen, _ in found["settings"]] == [
        "ADSVC_PORT", "ADSVC_JWT_SECRET",
    ]  # fmt: skip
    assert "secret" not in found
    assert found["disk"][0][0] == "fault"
    for check in ("schema", "store", "storing", "notices"):
        one(found, check, "ok")
    # Faults of several settings together, after those of single ones.
    found = examined(sound, title_min_length="300", image_store="ftp://x", smtp_url="smtp://a")
    seen = [seen for _, seen, _ in found["settings"]]
    assert seen[0].startswith("ADSVC_IMAGE_STORE")
    assert any("ADSVC_TITLE_MIN_LENGTH is above" in fault for fault in seen)
    assert any("ADSVC_SMTP_URL needs" in fault for fault in seen)
    assert not {"store", "storing", "disk", "mail"} & found.keys()
    one(found, "schema", "ok")
    found = examined(sound, database_url="mysql://x")
    assert "ADSVC_DATABASE_URL" in one(found, "settings", "fault")
    assert "schema" not in found
    assert "variables" in found


def test_what_is_accepted_does_not_count(sound: Environment) -> None:
    """By the check or by a part of it, from the command line or from a setting."""
    variables = {"ADSVC_DISK_RESERVE_BYTES": str(2**50), "ADSVC_HTTP_BASIC": "true"}
    environment = {**sound, **variables}

    def told(*names: str, setting: str = "") -> tuple[int, set[str], set[str]]:
        options = [word for name in names for word in ("--ignore", name)]
        finished = run_here(
            "doctor", "--json", *options,
            environment={**environment, "ADSVC_DOCTOR_IGNORE": setting},
        )  # fmt: skip
        rows = [row for row in json.loads(finished.stdout) if row["level"] != "ok"]
        ignored = {row["name"] for row in rows if row["ignored"]}
        return finished.exit_code, ignored, {row["name"] for row in rows} - ignored

    code, ignored, others = told()
    assert (code, ignored) == (1, set())
    assert {"database/durability", "disk/reserve", "risks/http_basic"} <= others
    assert told("database", "disk/temporary files")[0] == 1
    code, ignored, others = told("database", setting="disk,risks/http_basic")
    assert code == 0
    assert {"database/durability", "disk/reserve", "risks/http_basic"} <= ignored
    assert "risks/rate_limits" in others
    finished = run_here("doctor", "--ignore", "database", environment=sound)
    assert "ignored" in finished.stdout
    assert "no check dsik. The checks are:" in refused(
        "doctor", "--ignore", "dsik", environment=sound
    )


def test_secrets_that_others_can_read_are_found(
    sound: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one(examined(sound), "permissions", "ok")
    monkeypatch.chdir(tmp_path)
    dotenv, key, unit = tmp_path / ".env", tmp_path / "client.key", tmp_path / "etc" / "adsvc.env"
    dotenv.write_text("ADSVC_PORT=8081\n")
    dotenv.chmod(0o666)
    one(examined(sound), "permissions", "ok")
    dotenv.write_text("ADSVC_PORT=8081\nADSVC_SMTP_URL=\nADSVC_JWT_SECRET=x\n")
    assert str(dotenv) in one(examined(sound), "permissions", "fault")
    for mode, level in ((0o640, "ok"), (0o604, "fault"), (0o620, "fault"), (0o600, "ok")):
        dotenv.chmod(mode)
        one(examined(sound), "permissions", level)
    unit.parent.mkdir()
    monkeypatch.setattr(machine, "ENVIRONMENT_FILES", unit.parent)
    for file in (key, unit):
        file.touch(0o644)
    data = Path(sound["ADSVC_DATA_DIR"])
    mail = data / "mail"
    mail.mkdir()
    mail.chmod(0o755)
    data.chmod(0o777)
    (data / "images").chmod(0o777)
    url = make_url(sound["ADSVC_DATABASE_URL"]).update_query_dict({"sslkey": str(key)})
    rows = examined(sound, database_replica_url=url.render_as_string(hide_password=False))
    found = {seen.split()[0].rstrip(",") for _, seen, _ in rows["permissions"]}
    assert found == {str(path) for path in (unit, key, mail, data, data / "images")}


def test_an_unowned_store_beside_a_full_database_is_a_fault(
    sound: Environment, s3: tuple[S3Server, LightS3], prefix: str
) -> None:
    """As with the right bucket and a wrong prefix."""
    bucket = s3[0].environment(prefix)
    done("images", "copy", "local", bucket["ADSVC_IMAGE_STORE"], environment={**sound, **bucket})
    right = {name.removeprefix("ADSVC_").lower(): value for name, value in bucket.items()}
    assert one(examined(sound, **right), "store", "warning").endswith("no installation's id.")
    wrong = {**right, "image_store": f"{right['image_store']}-other"}
    assert "the store holds 0" in one(examined(sound, **wrong), "store", "fault")


def test_why_a_bucket_cannot_be_used_is_named(
    sound: Environment, s3: tuple[S3Server, LightS3], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = s3[0].settings("ads")
    s3[1].trouble = Trouble.FORBIDDEN
    found = examined(sound, **bucket)
    for check in ("store", "storing"):
        assert "it is forbidden (403)" in one(found, check, "fault")
    s3[1].trouble = Trouble.UNKNOWN_KEY
    found = examined(sound, **bucket)
    for check in ("store", "storing"):
        assert "the credentials are not valid there" in one(found, check, "fault")
    s3[1].trouble = None
    found = examined(sound, **{**bucket, "image_store": "s3://nowhere/ads"})
    for check in ("store", "storing"):
        assert "there is no such bucket" in one(found, check, "fault")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "another")
    assert "credentials" in one(examined(sound, **bucket), "store", "fault")


def test_without_credentials_the_error_says_where_they_belong(
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
    monkeypatch.setattr(database, "SELECT_SYSTEM", "SELECT pg_backend_pid() AS system")
    found = examined(sound, database_replica_url=sound["ADSVC_DATABASE_URL"])
    assert "no replica of this database" in one(found, "replicas", "fault")


def test_a_replica_that_lags_is_reported(
    sound: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = make_url(sound["ADSVC_DATABASE_URL"]).update_query_dict({"target_session_attrs": "any"})
    monkeypatch.setattr(database, "LAG_SECONDS", 0.1)
    behind = AT_REPLICA.replace("SELECT (", "SELECT -5000000 + (")
    monkeypatch.setattr(database, "AT_REPLICA", behind)
    found = examined(sound, database_replica_url=url.render_as_string(hide_password=False))
    assert re.search(
        "lags: after 0.1 s it lacked [45][0-9]{6} bytes", one(found, "replicas", "warning")
    )


# Connections of the server, without the reserved ones and those of other programs.
ROOM = 92


@pytest.mark.long
async def test_connections_are_counted_over_all_nodes(sound: Environment) -> None:
    """As many as are connected, and what others use is not theirs."""
    url = make_url(sound["ADSVC_DATABASE_URL"])
    own = ("adsvc/one/listener", "adsvc/two/listener", "adsvc/three/listener")

    async def others() -> int:
        """Listeners of applications that other tests have left running on this server."""
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            names = "application_name LIKE 'adsvc/%/listener' AND application_name <> ALL(:own)"
            counted = text(f"SELECT count(*) FROM pg_stat_activity WHERE {names}")  # noqa: S608
            there = int(await connection.scalar(counted, {"own": list(own)}) or 0)
        await engine.dispose()
        return there

    async def examine(number: int, level: str, of_each: int = 31, **changes: str) -> None:
        """Again where a listener of others has begun or ended meanwhile."""
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                there = number + await others()
                found = examined(sound, **changes)
                if there == number + await others():
                    break
        # One process is the sequencer.
        needed = there * of_each + 1
        level = "fault" if needed > ROOM else level
        assert f"{there} of all nodes {needed};" in one(found, "connections", level)

    async with AsyncExitStack() as stack:

        async def connect(name: str) -> None:
            options = {"server_settings": {"application_name": name}}
            engine = create_async_engine(url, connect_args=options)
            stack.push_async_callback(engine.dispose)
            await stack.enter_async_context(engine.connect())

        # Two processes of one node, and one of another.
        for name in (own[0], "adsvc/one/reads", own[0], "psql"):
            await connect(name)
        await examine(2, "ok")
        for name in own[1:]:
            await connect(name)
        await examine(4, "fault")
        # A pooler lends all but one.
        url_of = url.render_as_string(hide_password=False)
        await examine(
            4, "ok", of_each=1, database_pooling="transaction", database_listen_url=url_of
        )


def test_people_get_a_table_with_whole_paths(environment: Environment, tmp_path: Path) -> None:
    directory = tmp_path / f"of_a_name_{'x' * 60}"
    changed = {**environment, "ADSVC_DATA_DIR": str(directory), "COLUMNS": "80"}
    finished = adsvc("doctor", environment=changed)
    assert finished.returncode == 1
    assert "fsync" in finished.stdout
    assert "…" not in finished.stdout


@contextmanager
def _answering(
    headers: Mapping[str, str],
    body: bytes = b"",
    status: int = 200,
    tls: ssl.SSLContext | None = None,
) -> Iterator[str]:
    """A site that answers with these."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_site_is_checked_as_visitors_reach_it(sound: Environment) -> None:
    with _answering({"Server": "another"}) as address:
        assert "not adsvc" in one(examined(sound, site_url=address), "proxy", "fault")
    late = {"X-Request-Id": "1", "Date": formatdate(0, usegmt=True)}
    with _answering(late) as address:
        rows = examined(sound, site_url=address)["proxy"]
    assert [level for level, _, _ in rows] == ["warning", "warning", "warning"]
    assert "all visitors share one limit" in rows[0][1]
    assert "clock" in rows[1][1]
    assert "not encrypted" in rows[2][1]
    # It cannot be a proxy, as it has the service's own port.
    with _answering(late) as address:
        port = address.rpartition(":")[2]
        assert examined(sound, site_url=address, port=port)["proxy"][0][0] == "ok"
        # A proxy that is trusted is one that the service believes.
        rows = examined(sound, site_url=address, trusted_proxies="10.0.0.1")["proxy"]
        assert rows[0][0] == "fault"
        assert "ADSVC_TRUSTED_PROXIES" in rows[0][2]
    with _answering({**late, "X-Proxy": "trusted"}) as address:
        rows = examined(sound, site_url=address, trusted_proxies="10.0.0.1")["proxy"]
        assert "the proxy is trusted" in rows[0][1]
    assert "does not answer" in one(examined(sound, site_url=address), "proxy", "warning")


def test_map_tiles_are_asked_for_as_pages_do(sound: Environment) -> None:
    site = {"site_url": "https://ads.test", "map_attribution": "Ours"}
    one(examined(sound), "map", "ok")
    with _answering({"Access-Control-Allow-Origin": "https://ads.test"}) as address:
        tiles = f"{address}/{{z}}/{{x}}/{{y}}.png"
        one(examined(sound, **site, map_tiles=tiles), "map", "ok")
        rows = examined(sound, map_tiles=tiles)["map"]
        assert [advice.split()[1] for _, _, advice in rows] == [
            "http://localhost:8080", "ADSVC_MAP_ATTRIBUTION",
        ]  # fmt: skip
        no_file = examined(sound, **site, map_tiles=f"{address}/a.pmtiles")
        assert "no PMTiles" in one(no_file, "map", "warning")
    with _answering({"Access-Control-Allow-Origin": "*"}, b"PMTiles\3", 206) as address:
        one(examined(sound, **site, map_tiles=f"{address}/a.pmtiles"), "map", "ok")
    with _answering({"Access-Control-Allow-Origin": "*"}, b"PMTiles\3") as address:
        whole = examined(sound, **site, map_tiles=f"{address}/a.pmtiles")
        assert "no ranges" in one(whole, "map", "warning")
    with _answering({"Access-Control-Allow-Origin": "*"}, status=403) as address:
        refused = examined(sound, **site, map_tiles=f"{address}/{{z}}/{{x}}/{{y}}.png")
        assert "refused with 403" in one(refused, "map", "warning")
    gone = examined(sound, **site, map_tiles=f"{address}/a.pmtiles")
    assert "do not answer" in one(gone, "map", "warning")


def _nothing(_files: MetricsFiles) -> None:
    """What a process without numbers writes."""


async def test_what_holds_the_event_loop_is_counted_and_reported(sound: Environment) -> None:
    assert "is not set" in one(examined(sound), "event loop", "ok")
    assert "does not run" in one(examined(sound, metrics_port="1"), "event loop", "ok")
    count = "adsvc_event_loop_stall_seconds_count"
    with metrics_listener(make_url(sound["ADSVC_DATABASE_URL"])) as listener:
        port = listener.url.rpartition(":")[2]
        async with asyncio.timeout(60), publishing(listener.directory, METRICS, _nothing):
            while count not in (await listener.scrape()).names:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            assert "Nothing" in one(examined(sound, metrics_port=port), "event loop", "ok")
            # Nothing else runs meanwhile.
            time.sleep(1.2)  # noqa: ASYNC251
            while not (await listener.scrape()).value(count):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            seen = one(examined(sound, metrics_port=port), "event loop", "warning")
            assert "more than a second 1 times" in seen
