"""A real SMTP server in the test's own process, which can refuse, hang and go away."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

HOST = "127.0.0.1"
WAIT_SECONDS = 30


def parsed(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def text_of(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    text: str = part.get_content()
    return text


def token_in(message: EmailMessage) -> str:
    return text_of(message).partition("#token=")[2].split()[0]


@dataclass
class Mailbox:
    """The requests that the server got, and its responses."""

    port: int = 0
    messages: list[EmailMessage] = field(default_factory=list)
    # Whether what came last came encrypted, and by whom.
    was_encrypted: bool = False
    user: str | None = None
    connections: int = 0
    # To a recipient, and to what was sent; None is yes.
    refuses_recipient: str | None = None
    refuses_content: str | None = None
    # A recipient at whom it ends the connection without a word.
    hangs_up_at: str | None = None
    _came: asyncio.Event = field(default_factory=asyncio.Event)
    # Set when a mail has come, whether it is answered or not.
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    # While it is cleared, no mail is answered.
    answers: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.answers.set()

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's own name
        self, server: SMTP, _session: object, envelope: Envelope, address: str, _options: object
    ) -> str:
        if address == self.hangs_up_at:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
        if self.refuses_recipient is not None:
            return self.refuses_recipient
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's own name
        self, _server: object, session: Any, envelope: Envelope
    ) -> str:
        self.arrived.set()
        await self.answers.wait()
        if self.refuses_content is not None:
            return self.refuses_content
        assert isinstance(envelope.content, bytes)
        self.messages.append(parsed(envelope.content))
        self._came.set()
        self.was_encrypted = session.ssl is not None
        return "250 OK"

    async def until(self, count: int) -> list[EmailMessage]:
        """Waits until there are so many messages."""
        async with asyncio.timeout(WAIT_SECONDS):
            while len(self.messages) < count:
                self._came.clear()
                await self._came.wait()
        return self.messages


class _Conversation(SMTP):
    """One connection. With a context it demands STARTTLS, with a password a login."""

    def __init__(
        self,
        mailbox: Mailbox,
        opened: list[asyncio.BaseTransport],
        context: ssl.SSLContext | None,
        password: str | None,
    ) -> None:
        def authenticate(*given: Any) -> AuthResult:
            data = given[4]
            assert isinstance(data, LoginPassword)
            mailbox.user = data.login.decode()
            return AuthResult(success=data.password.decode() == password, handled=False)

        super().__init__(
            mailbox,
            hostname="mail.example.com",
            tls_context=context,
            require_starttls=context is not None,
            auth_required=password is not None,
            auth_require_tls=context is not None,
            authenticator=authenticate,
            loop=asyncio.get_running_loop(),
        )
        self._opened = opened

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # aiosmtpd leaves those open whose encryption has failed.
        self._opened.append(transport)
        super().connection_made(transport)


@asynccontextmanager
async def receiving(
    mailbox: Mailbox | None = None,
    *,
    port: int = 0,
    certificate: Path | None = None,
    password: str | None = None,
) -> AsyncIterator[Mailbox]:
    """With a certificate it demands STARTTLS, with a password a login."""
    mailbox = mailbox or Mailbox()
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
    opened: list[asyncio.BaseTransport] = []

    def connected() -> SMTP:
        mailbox.connections += 1
        return _Conversation(mailbox, opened, context, password)

    server = await asyncio.get_running_loop().create_server(connected, HOST, port)
    mailbox.port = server.sockets[0].getsockname()[1]
    try:
        yield mailbox
    finally:
        server.close()
        for transport in opened:
            assert isinstance(transport, asyncio.Transport)
            # One with TLS that is closed has nothing left to abort, and older Pythons fail at it.
            if not transport.is_closing():
                transport.abort()
        await asyncio.sleep(0)


def make_certificate(
    directory: Path, subject: str = "IP:127.0.0.1", until: datetime | None = None
) -> Path:
    """Signed by itself, with its key in the same file. Without `until` it is valid for two days."""
    kind, _, name = subject.partition(":")
    alternative = x509.DNSName(name) if kind == "DNS" else x509.IPAddress(ip_address(name))
    until = until or datetime.now(UTC) + timedelta(days=2)
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(until - timedelta(days=3))
        .not_valid_after(until)
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    both = directory / "both.pem"
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    both.write_bytes(certificate.public_bytes(Encoding.PEM) + key.private_bytes(*form))
    return both
