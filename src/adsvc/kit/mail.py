"""Sends mails: to an SMTP server, or into files if there is none."""

import asyncio
import os
import re
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from ssl import SSLError
from typing import Protocol

from aiosmtplib import (
    SMTP,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)
from aiosmtplib.errors import SMTPDataError

from adsvc.kit import errors
from adsvc.kit.observability.tracing import span
from adsvc.kit.process.offload import in_thread
from adsvc.kit.settings.validators import SmtpServer


@dataclass(frozen=True, slots=True)
class Mail:
    recipient: str
    content: bytes
    # The mail's file name. It is the same at every attempt, and sorts by time.
    name: str


# Servers close connections that are idle for long, and some close those with many mails.
REST_SECONDS = 10.0
MAILS_A_CONNECTION = 100
FAREWELL_SECONDS = 1.0

# Only the latest mails are kept in files, because anyone can cause them.
MAX_FILES = 1000

# Replies from this number on are permanent refusals (RFC 5321 §4.2.1).
PERMANENT = 500
# The server ends the connection (RFC 5321 §3.8).
CLOSING = 421
# That a mailbox is not there or is disabled, or its domain takes no mail (RFC 3463 §3.2 and §3.3,
# RFC 7505). Other refusals of a recipient may be due to the sender, such as a relay's.
NO_MAILBOX = re.compile(r"5\.(?:1\.(?:1|2|3|6|10)|2\.1)(?!\d)")


ADDRESS = re.compile(r"[^\s<>@:;,()\"']+@[^\s<>@:;,()\"']+")


class Transport(Protocol):
    async def send(self, mail: Mail) -> str:
        """What the receiver answered. Raises a `DeliveryError` if the mail was not accepted."""
        ...

    async def rest(self) -> None:
        """Called when there is nothing to send."""
        ...

    async def close(self) -> None: ...


class SmtpTransport:
    """Keeps connections for the next mails, as many as mails are sent at once."""

    def __init__(self, server: SmtpServer, *, sender: str, seconds: float) -> None:
        self._server = server
        self._sender = sender
        self._seconds = seconds
        # Idle connections, with the number of mails that each has sent and since when it is idle:
        # the longest first.
        self._idle: deque[tuple[SMTP, int, float]] = deque()

    async def send(self, mail: Mail) -> str:
        server = self._server
        with span("smtp send", {"server.address": server.host, "server.port": server.port}):
            return await self._send_by_any(mail)

    async def _send_by_any(self, mail: Mail) -> str:
        idle = self._take_idle()
        if idle is not None:
            client, brought = idle
            try:
                return await self._send(client, mail, brought)
            except errors.ReceiverUnavailableError:
                # The server has closed the idle connection.
                pass
        client = await self._connect()
        try:
            return await self._send(client, mail, 0)
        except errors.ReceiverUnavailableError as error:
            # The server accepted the connection, so it closes it because of this mail. Others may
            # pass. This one has only so many attempts, because anyone may name an address with this
            # effect.
            raise errors.NotDeliveredError(str(error)) from error

    def _take_idle(self) -> tuple[SMTP, int] | None:
        while self._idle:
            client, brought, since = self._idle.pop()
            if client.is_connected and time.monotonic() - since < REST_SECONDS:
                return client, brought
            client.close()
        return None

    async def _connect(self) -> SMTP:
        server = self._server
        client = SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            use_tls=server.tls,
            start_tls=server.starttls,
            timeout=self._seconds,
        )
        try:
            await client.connect()
        except (SMTPException, OSError) as error:
            # Also a rejected user name or password: that is not the mail's fault.
            raise errors.ReceiverUnavailableError(reply_of(error)) from error
        return client

    async def _send(self, client: SMTP, mail: Mail, brought: int) -> str:
        try:
            _, reply = await client.sendmail(self._sender, [mail.recipient], mail.content)
        except BaseException as error:
            # The next mail must not depend on this connection's state.
            client.close()
            if not isinstance(error, (SMTPException, OSError)):
                raise
            raise _delivery_error(error) from error
        if brought + 1 < MAILS_A_CONNECTION:
            self._idle.append((client, brought + 1, time.monotonic()))
        else:
            await _leave(client)
        return without_addresses(reply)

    async def rest(self) -> None:
        while self._idle and time.monotonic() - self._idle[0][2] >= REST_SECONDS:
            await _leave(self._idle.popleft()[0])

    async def close(self) -> None:
        await asyncio.gather(*(_leave(client) for client, _, _ in self._idle))
        self._idle.clear()


async def _leave(client: SMTP) -> None:
    """Ends the session as SMTP requires, but does not wait for long."""
    try:
        async with asyncio.timeout(FAREWELL_SECONDS):
            await client.quit()
    except (SMTPException, OSError):
        client.close()


def _delivery_error(error: SMTPException | OSError) -> errors.DeliveryError:
    """A refusal is the mail's fault only if it is about the recipient or the mail itself."""
    refusal: Exception = error
    if isinstance(error, SMTPRecipientsRefused) and error.recipients:
        refusal = error.recipients[0]
    reply = without_addresses(reply_of(refusal))
    if isinstance(refusal, SMTPServerDisconnected) or (
        isinstance(refusal, SMTPResponseException) and refusal.code == CLOSING
    ):
        return errors.ReceiverUnavailableError(reply)
    if isinstance(error, (SMTPRecipientsRefused, SMTPDataError)) and (
        isinstance(refusal, SMTPResponseException) and refusal.code >= PERMANENT
    ):
        is_bounce = refusal is not error and NO_MAILBOX.match(refusal.message)
        return (errors.NoMailboxError if is_bounce else errors.UndeliverableError)(reply)
    return errors.NotDeliveredError(reply)


def without_addresses(reply: str) -> str:
    """Servers repeat the recipient, which must not be in logs."""
    return ADDRESS.sub("…", reply)


def reply_of(error: Exception) -> str:
    """The server's reply, or the error, in a line for operators."""
    if isinstance(error, SMTPResponseException):
        return f"{error.code} {error.message}"
    return f"{type(error).__name__}: {error}"


class FileTransport:
    """Each mail is a file, `.eml`, that mail programs open. A repeated attempt replaces it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._written = 0

    async def send(self, mail: Mail) -> str:
        try:
            await in_thread(self._write, mail)
        except OSError as error:
            raise errors.ReceiverUnavailableError(f"{self._directory}: {error.strerror}") from error
        return f"written to {mail.name}.eml"

    def _write(self, mail: Mail) -> None:
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._written % (MAX_FILES // 10) == 0:
            for old in sorted(self._directory.glob("*.eml"))[:-MAX_FILES]:
                old.unlink(missing_ok=True)
        self._written += 1
        draft = self._directory / f".{mail.name}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(mail.content)
        draft.replace(self._directory / f"{mail.name}.eml")

    async def rest(self) -> None:
        """Nothing to release."""

    async def close(self) -> None:
        """Nothing to release."""


class SmtpPhase(StrEnum):
    CONNECT = "connect"
    ENCRYPT = "encrypt"
    LOGIN = "login"
    SENDER = "sender"


class ProbeError(errors.AdsvcError):
    """The phase that failed, and the server's reply."""

    def __init__(self, step: SmtpPhase, message: str) -> None:
        super().__init__(message)
        self.step = step


async def probe(server: SmtpServer, sender: str, *, seconds: float) -> None:
    """Tries a session without a mail. Raises `ProbeError`. Each phase may take `seconds`."""
    client = SMTP(
        hostname=server.host, port=server.port, use_tls=server.tls, start_tls=False, timeout=seconds
    )
    step = SmtpPhase.CONNECT
    try:
        await client.connect()
        step = SmtpPhase.ENCRYPT
        if server.starttls:
            await client.starttls()
        step = SmtpPhase.LOGIN
        if server.user is not None and server.password is not None:
            await client.login(server.user, server.password)
        step = SmtpPhase.SENDER
        await client.mail(sender)
        await client.rset()
    except (SMTPException, OSError) as error:
        if isinstance(error.__cause__, SSLError):
            # If TLS begins at once, the phase is part of the connection.
            step = SmtpPhase.ENCRYPT
        raise ProbeError(step, reply_of(error)) from error
    finally:
        with suppress(SMTPException, OSError):
            await client.quit()
        client.close()
