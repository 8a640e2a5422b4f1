"""`adsvc doctor` finds each fault of mail that is made here, and sends no mail."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url

from adsvc.kit.db.database import Database
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.outbox import NewEntry
from adsvc_ops.doctor import site
from conftest import Environment
from support.mail.server import HOST, make_certificate, receiving
from support.running.commands import done
from support.running.doctor import examined, one
from support.running.processes import free_port

pytestmark = pytest.mark.heavy

Rows = list[tuple[str, str, str]]


@pytest.fixture
def sound(environment: Environment) -> Environment:
    done("seed", "--users", "1", "--ads", "1", environment=environment)
    return environment


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("tls"))


async def look(environment: Mapping[str, str], url: str, **changes: str) -> Rows:
    """What is found about mail with that address of a server, which is in this process."""
    variables = {
        "smtp_url": url, "mail_from": "Ads <ads@ads.de>", "site_url": "https://127.0.0.1:1",
        **changes,
    }  # fmt: skip
    found = await asyncio.to_thread(examined, dict(environment), **variables)
    return found["mail"]


async def fault(environment: Mapping[str, str], url: str) -> tuple[str, str]:
    """The only finding: what is so, and what to do."""
    [(level, seen, advice)] = await look(environment, url)
    assert level == "fault", seen
    assert "secret" not in seen + advice
    return seen, advice


# aiosmtpd forgets the socket of a handshake that failed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_each_step_before_a_mail_says_what_to_do(
    sound: Environment, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with receiving(certificate=certificate, password="sec@ret") as mailbox:
        place = f"{HOST}:{mailbox.port}"
        seen, advice = await fault(sound, f"smtp://user:sec%40ret@{place}")
        assert "CERTIFICATE_VERIFY_FAILED" in seen
        assert "certificate" in advice
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        [(level, seen, _)] = await look(sound, f"smtp://user:sec%40ret@{place}")
        assert (level, mailbox.user) == ("ok", "user"), seen
        seen, advice = await fault(sound, f"smtp://user:secret@{place}")
        assert "535" in seen
        assert "%40" in advice
        seen, advice = await fault(sound, f"smtp://{place}")
        assert "530" in seen
        assert "ADSVC_MAIL_FROM" in advice
    assert mailbox.messages == []
    async with receiving() as plain:
        place = f"{HOST}:{plain.port}"
        seen, advice = await fault(sound, f"smtp://user:secret@{place}")
        assert "STARTTLS" in seen
        assert "smtps://" in advice
        seen, advice = await fault(sound, f"smtps://{place}")
        assert "no encryption" in seen
        assert "smtp://" in advice
        [(level, seen, _)] = await look(sound, f"smtp://{place}?tls=off")
        assert level == "ok", seen
    assert plain.user is None
    seen, advice = await fault(sound, f"smtp://{HOST}:{free_port()}")
    assert "is not reached" in seen
    assert "firewall" in advice


@asynccontextmanager
async def _mute() -> AsyncIterator[int]:
    """The port of a server that says nothing."""
    ended = asyncio.Event()

    async def wait(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(wait, HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        ended.set()
        server.close()


@pytest.mark.long
async def test_a_server_that_hangs_is_waited_for_no_longer_than_that(
    sound: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "SECONDS", 0.2)
    async with _mute() as port:
        for scheme in ("smtp", "smtps"):
            seen, _ = await fault(sound, f"{scheme}://{HOST}:{port}")
            assert "Timed out" in seen, scheme


async def test_bad_senders_and_links_are_reported(sound: Environment) -> None:
    async with receiving() as mailbox:
        url = f"smtp://{HOST}:{mailbox.port}?tls=off"
        rows = await look(
            sound, url, mail_from="noreply@ads.example.com", site_url="http://127.0.0.1:1"
        )
        assert [level for level, _, _ in rows] == ["ok", "warning", "warning"]
        assert "ADSVC_MAIL_FROM" in rows[1][1]
        assert "https://" in rows[2][2]
    rows = await look(sound, "smtp://mail.invalid?tls=off")
    assert [level for level, _, _ in rows] == ["fault", "warning"]
    assert "unencrypted" in rows[1][1]


def test_without_a_mail_server_the_level_depends_on_host_and_settings(sound: Environment) -> None:
    assert "are files" in one(examined(sound), "mail", "ok")
    one(examined(sound, host="::"), "mail", "warning")
    one(examined(sound, host="::", mail_required="post"), "mail", "fault")
    assert "ADSVC_MAIL_FROM" in one(examined(sound, smtp_url="smtp://a"), "settings", "fault")


async def test_work_without_a_worker_and_dead_letters_are_reported(sound: Environment) -> None:
    one(examined(sound), "work", "ok")
    assert "worker" in one(examined(sound, jobs="off"), "work", "fault")
    database = Database(make_url(sound["ADSVC_DATABASE_URL"]))
    async with database.transaction() as transaction:
        await job_rows.record(transaction, "expiries", seconds=0, succeeded=True)
        await outbox_rows.add(transaction, NewEntry("letter", {"user_id": 7}))
    [claimed] = await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60)
    await outbox_rows.mark_dead(database.writer, claimed, "550 no such mailbox")
    await database.close()
    assert "1 mails" in one(examined(sound, jobs="off"), "work", "warning")
