"""Validators of single settings, and defaults that depend on the machine."""

import hashlib
import os
import re
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from ipaddress import IPv6Address
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from email_validator import EmailNotValidError, validate_email
from pydantic import SecretStr
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from adsvc.kit.addresses import unmapped_network

# HS256 wants a key at least as long as its digest (RFC 7518 §3.2).
SECRET_MIN_BYTES = 32
# A secret with fewer different characters than this is a placeholder, not a secret.
SECRET_MIN_VARIETY = 10
LARGEST_PORT = 65_535
# As browsers write them, in lower case. `*` is refused, because answers contain private data.
ORIGIN = re.compile(
    r"([a-z][a-z0-9+.-]*)://([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?"
)
# As BCP 47 has them, without rare parts: `de`, `pt-BR`, `zh-Hant-TW`.
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?")
COUNTRY = re.compile(r"[A-Z]{2}")
CONTACT = re.compile(r"(?:mailto:[^\s@]+@[^\s@]+|https://[^\s/]+\S*)", re.ASCII)
LOCAL_STORE = "local"
S3_SCHEME = "s3://"
# Names of buckets as S3 has them, and prefixes without a part `.` or `..`.
S3_STORE = re.compile(
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9!_.*'()=-]+)*/?"
)
# What needs no escape in a path.
ADDRESS_PATH = re.compile(r"(?:/[A-Za-z0-9._~!$&'()*+,=:@-]+)*/?")
# A file with all tiles, or one address for each. An address with a token may have a query.
MAP_TILES = re.compile(r"[A-Za-z0-9._~!$&'()*+,=:@/?%{}-]+")
PATH_PREFIX = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)*")
# Browsers leave these out.
DEFAULT_PORTS = {("http", "80"), ("https", "443")}


def usable_secret(secret: SecretStr) -> SecretStr:
    value = secret.get_secret_value()
    if len(value.encode()) < SECRET_MIN_BYTES:
        raise ValueError(f"must have at least {SECRET_MIN_BYTES} bytes")
    if len(set(value)) < SECRET_MIN_VARIETY or "change-me" in value.lower():
        raise ValueError("is a sample, not a secret; make one with: openssl rand -base64 48")
    return secret


def origins(value: object) -> object:
    """Origins as RFC 6454 writes them, separated by commas. Empty text means none."""
    if isinstance(value, str):
        value = tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
    if isinstance(value, (tuple, list)) and not all(_is_origin(str(item)) for item in value):
        raise ValueError(
            "must be origins as browsers send them, such as https://example.com, in lower case, "
            "without the scheme's own port and without a path, separated by commas"
        )
    return value


def _is_origin(text: str) -> bool:
    match = ORIGIN.fullmatch(text)
    if match is None:
        return False
    scheme, host, port = match.groups()
    if host.startswith("[") and not _is_canonical_ipv6(host[1:-1]):
        return False
    return port is None or (int(port) <= LARGEST_PORT and (scheme, port) not in DEFAULT_PORTS)


def site_address(text: str) -> str:
    """An origin of the web: pictures and pages are paths from the root of a host."""
    address = text.rstrip("/")
    if not (address.startswith(("http://", "https://")) and _is_origin(address)):
        raise ValueError("must be an address such as https://ads.example.com, without a path")
    return address


def path_prefix(text: str) -> str:
    """Empty for the root of a host."""
    prefix = text.rstrip("/")
    if not PATH_PREFIX.fullmatch(prefix):
        raise ValueError(
            "must be a path such as /api, of letters, digits, `-`, `.`, `_` and `~`, without parts "
            "that are `.` or `..`"
        )
    return prefix


def store_address(text: str) -> str:
    if text != LOCAL_STORE and not S3_STORE.fullmatch(text):
        raise ValueError("must be `local`, or a bucket with a prefix, such as s3://bucket/ads")
    return text


def endpoint_address(text: str) -> str:
    """An origin: the bucket is the first part of the path."""
    address = text.rstrip("/")
    if not (address.startswith(("http://", "https://")) and _is_origin(address)):
        raise ValueError("must be an address such as https://s3.example.com, without a path")
    return address


def pictures_address(text: str) -> str:
    """A base address, to which names of pictures are added, or one with a place for them."""
    origin = "/".join(text.split("/")[:3])
    if not (origin.startswith(("http://", "https://")) and _is_origin(origin)):
        raise ValueError("must be an address such as https://cdn.example.com/ads")
    path = text.removeprefix(origin)
    # imgproxy has the address of the picture in its path.
    before, place, after = path.partition("{name}")
    if place and ADDRESS_PATH.fullmatch(f"{before}x{after}".replace("://", "/")):
        return text
    if not ADDRESS_PATH.fullmatch(path):
        raise ValueError("must have neither a query nor signs that are to be escaped")
    return text.rstrip("/")


def map_tiles_address(text: str) -> str:
    """Of one PMTiles file, or with the places of zoom, column and row."""
    origin = "/".join(text.split("/")[:3])
    if not (origin.startswith(("http://", "https://")) and _is_origin(origin)):
        raise ValueError("must be an address such as https://tiles.example.com/{z}/{x}/{y}.png")
    rest = text.removeprefix(origin)
    is_file = rest.partition("?")[0].endswith(".pmtiles")
    if not MAP_TILES.fullmatch(rest) or not (is_file or all(f"{{{at}}}" in rest for at in "zxy")):
        raise ValueError("must be the address of a .pmtiles file, or have {z}, {x} and {y} in it")
    return text


def built_storefront(directory: Path) -> Path:
    if not (directory / "index.html").is_file():
        raise ValueError("must be a directory with the files of a built storefront")
    return directory


def logo_file(path: Path) -> Path:
    if path.suffix.lower() not in {".svg", ".png", ".webp"} or not path.is_file():
        raise ValueError("must be a file whose name ends in .svg, .png or .webp")
    return path


def _is_canonical_ipv6(text: str) -> bool:
    try:
        return str(IPv6Address(text)) == text
    except ValueError:
        return False


def networks(value: object) -> object:
    """Addresses and networks, separated by commas."""
    if not isinstance(value, str):
        return value
    return tuple(str(unmapped_network(part.strip())) for part in value.split(",") if part.strip())


def contacts(value: object) -> object:
    """Contacts for reports of vulnerabilities, separated by commas (RFC 9116)."""
    if isinstance(value, str):
        value = tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, (tuple, list)) and not all(CONTACT.fullmatch(str(item)) for item in value):
        raise ValueError("must be URIs that begin with mailto: or https://, separated by commas")
    return value


def name_list(value: object) -> object:
    """Separated by commas."""
    if isinstance(value, str):
        value = tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def language_tags(value: object) -> object:
    """Tags of languages, separated by commas."""
    if isinstance(value, str):
        value = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
    if isinstance(value, (tuple, list)) and not (
        value and all(LANGUAGE.fullmatch(str(item)) for item in value)
    ):
        raise ValueError("must be tags of languages, such as de or pt-BR, separated by commas")
    return value


def country_codes(value: object) -> object:
    """Codes of countries, separated by commas, in capital letters."""
    if isinstance(value, str):
        value = tuple(
            dict.fromkeys(part.strip().upper() for part in value.split(",") if part.strip())
        )
    if isinstance(value, (tuple, list)) and not all(COUNTRY.fullmatch(str(one)) for one in value):
        raise ValueError("must be codes of countries (ISO 3166-1), such as de,at")
    return value


def all_cores() -> int:
    """Number of cores."""
    return os.cpu_count() or 1


def half_of_the_cores() -> int:
    """Half of the cores."""
    # The event loop and the database need the rest.
    return max(1, all_cores() // 2)


def half_of_the_cores_at_least_two() -> int:
    """Half of the cores, at least 2."""
    # More searches at once would not end sooner, and would leave less for everything else.
    return max(2, half_of_the_cores())


def machine_name() -> str:
    """The machine's name."""
    return socket.gethostname()


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


SUBMISSION_PORT, SUBMISSIONS_PORT = 587, 465

# A name and an address; a name that would need quotes is not taken.
SENDER = re.compile(r"([\w !#$%&'*+/=?^`{|}~-]*[\w!#$%&'*+/=?^`{|}~-])\s*<([^<>]+)>")

SMTP_FORM = "must be like smtp://user:password@host:587 or smtps://host:465, perhaps with ?tls=off"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    host: str
    port: int
    user: str | None
    password: str | None
    # From the first byte on, or after STARTTLS.
    tls: bool
    starttls: bool


def smtp_server(text: str) -> SmtpServer:
    """What the address says, or `ValueError`, whose message does not repeat it."""
    try:
        parts = urlsplit(text)
        port = parts.port
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError:
        raise ValueError(SMTP_FORM) from None
    is_plain = options == {"tls": "off"}
    if (
        parts.scheme not in {"smtp", "smtps"}
        or not parts.hostname
        or parts.path not in {"", "/"}
        or parts.fragment
        or (options and not is_plain)
        or (is_plain and parts.scheme == "smtps")
        or (parts.username is None) != (parts.password is None)
    ):
        raise ValueError(SMTP_FORM)
    tls = parts.scheme == "smtps"
    return SmtpServer(
        parts.hostname,
        port or (SUBMISSIONS_PORT if tls else SUBMISSION_PORT),
        None if parts.username is None else unquote(parts.username),
        None if parts.password is None else unquote(parts.password),
        tls=tls,
        starttls=not tls and not is_plain,
    )


def usable_smtp_url(secret: SecretStr) -> SecretStr:
    smtp_server(secret.get_secret_value())
    return secret


def proxy_address(secret: SecretStr) -> SecretStr:
    try:
        parts = urlsplit(secret.get_secret_value())
        is_one = parts.scheme == "http" and parts.hostname and (parts.port or 80)
    except ValueError:
        is_one = False
    if not is_one or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError("must be like http://user:password@host:port")
    return secret


def search_nodes(secret: SecretStr) -> SecretStr:
    form = "must be like https://user:password@host:9200, or several, separated by commas"
    for url in secret.get_secret_value().split(","):
        try:
            parts = urlsplit(url)
            is_one = parts.scheme in {"http", "https"} and parts.hostname and (parts.port or 80)
        except ValueError:
            is_one = False
        if not is_one or parts.path not in {"", "/"} or parts.query or parts.fragment:
            raise ValueError(form)
    return secret


def sender(text: str) -> str:
    sender_address(text)
    return text


def sender_address(text: str) -> Address:
    """With a name or without, or `ValueError`."""
    parts = SENDER.fullmatch(text)
    name, address = ("", text) if parts is None else parts.groups()
    try:
        valid = validate_email(
            address, check_deliverability=False, allow_smtputf8=False, strict=True
        )
    except EmailNotValidError:
        raise ValueError("must be a mail address, as Ads <noreply@ads.example.com>") from None
    return Address(name, addr_spec=valid.ascii_email or valid.normalized)
