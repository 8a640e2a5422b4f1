"""Mail is sent to real SMTP servers, good and bad ones."""

import asyncio
import gc
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.headerregistry import Address
from pathlib import Path
from uuid import UUID

import pytest

from adsvc.errors import (
    NoMailboxError,
    NotDeliveredError,
    ReceiverUnavailableError,
    UndeliverableError,
)
from adsvc.kit import mail as transports
from adsvc.kit.mail import FileTransport, Mail, SmtpTransport
from adsvc.kit.settings.validators import smtp_server
from adsvc.services.mail.rendering import Envelope, Post, render
from support.mail.server import HOST, Mailbox, make_certificate, parsed, receiving
from support.running.processes import free_port

POST = Post("Ads", "https://ads.example.com", Address("Ads", "noreply", "ads.example.com"))
ENVELOPE = Envelope("anna@example.com", 7, UUID(int=7), datetime(2026, 11, 22, tzinfo=UTC), "de")


def mail(recipient: str = "anna@example.com") -> Mail:
    envelope = Envelope(recipient, 7, ENVELOPE.message_id, ENVELOPE.at, "en")
    return render("password-changed", {}, POST, envelope)


def transport(port: int, options: str = "?tls=off", login: str = "") -> SmtpTransport:
    server = smtp_server(f"smtp://{login}{HOST}:{port}{options}")
    return SmtpTransport(server, sender="noreply@ads.example.com", seconds=5)


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    async with receiving() as started:
        yield started


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("tls"))


async def test_a_mail_arrives_with_its_headers_and_connections_are_kept(mailbox: Mailbox) -> None:
    sending = transport(mailbox.port)
    for _ in range(3):
        await sending.send(mail())
    await sending.close()
    assert mailbox.connections == 1
    assert len(mailbox.messages) == 3
    message = mailbox.messages[0]
    assert message["To"] == "anna@example.com"
    assert message["From"] == "Ads <noreply@ads.example.com>"
    assert message["Message-ID"] == f"<{UUID(int=7)}@ads.example.com>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"] == "Sun, 22 Nov 2026 00:00:00 +0000"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


async def test_a_connection_that_the_server_has_ended_is_no_fault(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sending = transport(mailbox.port)
    await sending.send(mail())
    [(client, _, _)] = sending._idle
    assert isinstance(client.transport, asyncio.Transport)
    client.transport.abort()
    await sending.send(mail())
    monkeypatch.setattr(transports, "REST_SECONDS", 0)
    await sending.send(mail())
    await sending.rest()
    assert (len(mailbox.messages), mailbox.connections, len(sending._idle)) == (3, 3, 0)


async def test_starttls_and_a_login_are_used(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with receiving(certificate=certificate, password="p@ss word") as mailbox:
        sending = transport(mailbox.port, "", "us%40er:p%40ss%20word@")
        await sending.send(mail())
        await sending.close()
        assert mailbox.was_encrypted
        assert mailbox.user == "us@er"


# aiosmtpd forgets the socket of a handshake that failed.
@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_no_mail_and_no_password_goes_out_where_encryption_is_missing_or_untrusted(
    certificate: Path,
) -> None:
    async with receiving(password="secret") as mailbox:
        with pytest.raises(ReceiverUnavailableError):
            await transport(mailbox.port, "", "user:secret@").send(mail())
    async with receiving(certificate=certificate, password="secret") as untrusted:
        with pytest.raises(ReceiverUnavailableError):
            await transport(untrusted.port, "", "user:secret@").send(mail())
    assert mailbox.user is untrusted.user is None
    assert mailbox.messages == untrusted.messages == []
    gc.collect()


async def test_a_wrong_password_is_no_mails_fault(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with receiving(certificate=certificate, password="another") as mailbox:
        with pytest.raises(ReceiverUnavailableError, match="535"):
            await transport(mailbox.port, "", "user:secret@").send(mail())


async def test_permanent_and_temporary_refusals_are_distinguished(mailbox: Mailbox) -> None:
    sending = transport(mailbox.port)
    for refusal, error in (
        ("550 5.1.1 no such mailbox", NoMailboxError),
        ("552 5.2.1 disabled", NoMailboxError),
        ("550 no such mailbox", UndeliverableError),
        # What the relay does not take.
        ("550 5.7.1 relaying denied", UndeliverableError),
        ("550 5.1.11 unknown", UndeliverableError),
        ("450 busy", NotDeliveredError),
        ("421 closing", NotDeliveredError),
    ):
        mailbox.refuses_recipient = refusal
        with pytest.raises(error, match=refusal) as raised:
            await sending.send(mail())
        assert raised.type is error
    mailbox.refuses_recipient = None
    # Not about the recipient.
    for refusal, error in (
        ("554 5.1.1", UndeliverableError),
        ("451 later", NotDeliveredError),
    ):
        mailbox.refuses_content = refusal
        with pytest.raises(error, match=refusal):
            await sending.send(mail())


async def test_a_mail_at_which_the_server_hangs_up_keeps_no_other_from_being_sent(
    mailbox: Mailbox,
) -> None:
    sending = transport(mailbox.port)
    mailbox.hangs_up_at = "poison@example.com"
    for _ in range(2):
        with pytest.raises(NotDeliveredError, match="SMTPServerDisconnected"):
            await sending.send(mail("poison@example.com"))
        await sending.send(mail())
    await sending.close()
    assert len(mailbox.messages) == 2


@pytest.mark.heavy
async def test_a_server_that_is_away_or_hangs_is_unavailable(mailbox: Mailbox) -> None:
    with pytest.raises(ReceiverUnavailableError):
        await transport(free_port()).send(mail())
    server = smtp_server(f"smtp://{HOST}:{mailbox.port}?tls=off")
    mailbox.answers.clear()
    # Enough for all the answers that do come.
    hanging = SmtpTransport(server, sender="noreply@ads.example.com", seconds=2)
    with pytest.raises(NotDeliveredError, match="Timeout"):
        await hanging.send(mail())
    mailbox.answers.set()

    async def say_nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await mailbox.answers.wait()
        writer.close()

    mailbox.answers.clear()
    mute = await asyncio.start_server(say_nothing, HOST, 0)
    port = mute.sockets[0].getsockname()[1]
    sending = SmtpTransport(
        smtp_server(f"smtp://{HOST}:{port}?tls=off"), sender="a@b.example", seconds=0.2
    )
    with pytest.raises(ReceiverUnavailableError, match="Timed out"):
        await sending.send(mail())
    mailbox.answers.set()
    mute.close()


async def test_without_a_server_mails_are_files_of_their_owner_and_the_latest_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "MAX_FILES", 10)
    sending = FileTransport(tmp_path / "mail")
    for _ in range(2):
        await sending.send(mail())
    [file] = (tmp_path / "mail").iterdir()
    assert file.name == "20261122T000000-0000000007.eml"
    assert file.stat().st_mode & 0o077 == 0
    assert parsed(file.read_bytes())["To"] == "anna@example.com"
    for number in range(30):
        sent = Mail("anna@example.com", b"", f"20261123T0000{number:02}")
        await sending.send(sent)
    names = sorted(path.name for path in (tmp_path / "mail").iterdir())
    assert len(names) <= 11
    assert names[-1] == "20261123T000029.eml"


async def test_a_directory_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("in the way")
    with pytest.raises(ReceiverUnavailableError):
        await FileTransport(tmp_path / "mail").send(mail())
