"""Addresses of databases, as libpq writes them."""

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

# Of libpq's `target_session_attrs`, those that find a server which takes writes, or any.
FOR_WRITES = ("any", "read-write", "primary")
FOR_READS = ("any", "standby", "read-only")

# libpq handles these itself. asyncpg would send them to PostgreSQL, which does not know them.
LIBPQ_ALONE = {
    *("channel_binding", "connect_timeout", "gssencmode", "hostaddr", "keepalives"),
    *("keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts"),
    *("require_auth", "requirepeer", "sslcertmode", "sslcompression", "sslsni"),
    *("tcp_user_timeout",),
}
LARGEST_PORT = 65_535

EMBEDDED_PORT = 5432
# The size of sockaddr_un.sun_path without its final NUL.
SOCKET_PATH_LIMIT = 103 if sys.platform == "darwin" else 107
SOCKET_DIRECTORY_PREFIX = "adsvc-postgres-"
# What needs no quoting in a URL, nor in PostgreSQL's and SQLAlchemy's lists of hosts.
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]+")

NO_URL = (
    "is not a database URL; in a user name or password @ is written %40, / %2F, : %3A, ? %3F, # %23"
)


def postgres_url(secret: SecretStr) -> SecretStr:
    url = async_database_url(secret.get_secret_value())
    _require_attributes(url, FOR_WRITES)
    return secret


def replica_url(secret: SecretStr) -> SecretStr:
    url = async_database_url(secret.get_secret_value())
    _require_attributes(url, FOR_READS)
    return secret


def _require_attributes(url: URL, known: Sequence[str]) -> None:
    if url.query.get("target_session_attrs", known[0]) not in known:
        raise ValueError(f"target_session_attrs must be one of {', '.join(known)}")


def async_database_url(text: str) -> URL:
    """The URL in the form that SQLAlchemy's asyncpg dialect reads.

    Accepts the forms that hosting services use: the schemes `postgres`, `postgresql` and
    `postgresql+asyncpg`, libpq's `sslmode`, which asyncpg calls `ssl`, and several hosts. Those
    become parameters by the name of `host`.
    """
    try:
        alone, hosts = _without_several_hosts(text)
        url = make_url(alone)
    except (ArgumentError, ValueError):
        raise ValueError(NO_URL) from None
    if url.drivername not in {"postgres", "postgresql", "postgresql+asyncpg"}:
        raise ValueError("must begin with postgresql://")
    query = dict(url.query)
    _require_known(query)
    if not _is_port(url.port or query.get("port") or 1):
        raise ValueError(f"names a port that is none from 1 to {LARGEST_PORT}")
    if "sslmode" in query:
        query["ssl"] = query.pop("sslmode")
    if hosts:
        query["host"] = hosts
    return url.set(drivername="postgresql+asyncpg", query=query)


def _require_known(query: Mapping[str, str | Sequence[str]]) -> None:
    unknown = sorted(LIBPQ_ALONE & query.keys())
    if unknown:
        raise ValueError(f"has {', '.join(unknown)}, which this service does not take: remove it")
    host = query.get("host")
    if isinstance(host, str) and "," in host:
        raise ValueError("names several hosts where one may be: write //one:5432,two:5432/name")


def _without_several_hosts(text: str) -> tuple[str, tuple[str, ...]]:
    """SQLAlchemy reads one host only where libpq has several, separated by commas."""
    scheme, separator, rest = text.partition("://")
    authority = re.split("[/?]", rest, maxsplit=1)[0]
    if "@" in rest[len(authority) :].partition("=")[0]:
        # It would be connected to what is the beginning of a password.
        raise ValueError
    account, at, places = authority.rpartition("@")
    if "," not in places:
        return text, ()
    hosts = tuple(places.split(","))
    if not all(_is_place(host) for host in hosts):
        raise ValueError
    return f"{scheme}{separator}{account}{at}{rest[len(authority) :]}", hosts


def _is_place(text: str) -> bool:
    """A host, perhaps with a port."""
    url = make_url(f"postgresql://{text}/")
    return bool(url.host) and not url.query and _is_port(url.port or 1)


def _is_port(given: object) -> bool:
    text = str(given)
    return text.isdecimal() and 0 < int(text) <= LARGEST_PORT


def embedded_socket_directory(cluster: Path) -> Path | None:
    """Where the server of an embedded cluster listens.

    The cluster itself, or a private directory if its path is too long or odd. None if that is so
    too.
    """
    digest = hashlib.sha256(os.fsencode(cluster)).hexdigest()[:16]
    private = Path(tempfile.gettempdir()).resolve() / f"{SOCKET_DIRECTORY_PREFIX}{digest}"
    for place in (cluster, private):
        length = len(os.fsencode(place / f".s.PGSQL.{EMBEDDED_PORT}"))
        if length <= SOCKET_PATH_LIMIT and PLAIN_PATH.fullmatch(str(place)):
            return place
    return None
