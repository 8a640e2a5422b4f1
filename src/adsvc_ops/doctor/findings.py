"""What checks find, and why a server cannot be used: what its error means, and what to do."""

import asyncio
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from cryptography import x509

from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import PLAN_SQLSTATES
from adsvc.kit.storage import ImageStore
from adsvc.settings import Settings


class Severity(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


class Finding(NamedTuple):
    severity: Severity
    # What was found.
    seen: str
    # What to do about it.
    advice: str = ""
    # Distinguishes several findings of one check, so that each can be ignored by itself.
    part: str = ""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What checks may use."""

    settings: Settings
    # The variables of the command and of the file `.env`, in capitals; none is empty.
    environment: Mapping[str, str]
    # The names of those that are in the file.
    dotenv: Sequence[str]
    database: Database
    store: ImageStore


def ok(seen: str) -> Finding:
    return Finding(Severity.OK, seen)


def warning(seen: str, advice: str, part: str = "") -> Finding:
    return Finding(Severity.WARNING, seen, advice, part)


def fault(seen: str, advice: str, part: str = "") -> Finding:
    return Finding(Severity.FAULT, seen, advice, part)


SECONDS = 5.0


class Reason(NamedTuple):
    meaning: str
    advice: str


REASONS_BY_SQLSTATE: Mapping[str, Reason] = {
    "28P01": Reason(
        "the password is wrong",
        "Compare user and password with what PostgreSQL's operator says; in a URL @ is %40, / %2F.",
    ),
    "28000": Reason(
        "this user may not connect from here",
        "Let pg_hba.conf of PostgreSQL admit the user, from this address and to this database.",
    ),
    "3D000": Reason(
        "there is no such database",
        "Create it, or correct the name at the end of the address.",
    ),
    "53300": Reason(
        "all of its connections are in use",
        "See in pg_stat_activity who uses them. Raise max_connections, lower "
        "ADSVC_DATABASE_POOL_SIZE or ADSVC_WORKERS, or have a pooler in between.",
    ),
    **dict.fromkeys(
        PLAN_SQLSTATES,
        Reason(
            "a pooler lends connections for one transaction",
            "Set ADSVC_DATABASE_POOLING=transaction, and ADSVC_DATABASE_LISTEN_URL to PostgreSQL "
            "itself.",
        ),
    ),
}


def reason_of(error: BaseException | None) -> Reason | None:
    """What an error of a connection means. None for one that says so itself."""
    return next(filter(None, map(_reason, _chain(error))), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes; the members of a group one after the other."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for member in error.exceptions:
                yield from _chain(member)
        error = error.__cause__ or error.__context__


def _reason(error: BaseException) -> Reason | None:
    if (by_sqlstate := REASONS_BY_SQLSTATE.get(getattr(error, "sqlstate", None) or "")) is not None:
        return by_sqlstate
    if isinstance(error, ssl.SSLCertVerificationError):
        return Reason(
            f"its certificate is not valid: {error.verify_message}",
            "Renew the certificate, name the server as its certificate does, or have this machine "
            "trust who signed it.",
        )
    if isinstance(error, socket.gaierror):
        return Reason("its name is not found", "Correct the name, or the DNS of this machine.")
    if isinstance(error, ConnectionRefusedError):
        return Reason("nothing listens there", "Start the server, or correct host and port.")
    if isinstance(error, TimeoutError):
        return Reason(
            "there is no answer in time",
            "See whether a firewall lets this machine out to it, and whether it hangs.",
        )
    return None


async def connection_reason(host: str, port: int, *, tls: bool) -> Reason | None:
    """What a connection, and a TLS handshake of one's own, meets. None if both succeed."""
    return await asyncio.to_thread(_connection_reason, host, port, tls=tls)


def _connection_reason(host: str, port: int, *, tls: bool) -> Reason | None:
    try:
        with socket.create_connection((host, port), SECONDS) as connection:
            if tls:
                _peer_certificate(connection, host, ssl.create_default_context())
    except ssl.SSLCertVerificationError as error:
        reason = _reason(error)
        return reason and reason._replace(meaning=f"{reason.meaning}{_valid_until(host, port)}")
    except ssl.SSLError as error:
        return Reason(f"there is no TLS: {error.reason}", "Correct the port, or its protocol.")
    except OSError as error:
        return reason_of(error)
    return None


def _valid_until(host: str, port: int) -> str:
    context = ssl.create_default_context()
    # What is wrong with the certificate is known already; this reads its date.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with socket.create_connection((host, port), SECONDS) as connection:
        certificate = x509.load_der_x509_certificate(_peer_certificate(connection, host, context))
    return f" (valid until {certificate.not_valid_after_utc:%Y-%m-%d})"


def _peer_certificate(connection: socket.socket, host: str, context: ssl.SSLContext) -> bytes:
    """In DER."""
    with context.wrap_socket(connection, server_hostname=host) as tls:
        return tls.getpeercert(binary_form=True) or b""
