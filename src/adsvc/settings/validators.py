"""Validators of single settings, and defaults that depend on the machine."""

import os
import re
import socket
from ipaddress import IPv6Address
from pathlib import Path

from pydantic import SecretStr

from adsvc.addresses import unmapped_network

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
    """A base address, to which names of pictures are added."""
    origin = "/".join(text.split("/")[:3])
    if not (origin.startswith(("http://", "https://")) and _is_origin(origin)):
        raise ValueError("must be an address such as https://cdn.example.com/ads")
    if not ADDRESS_PATH.fullmatch(text.removeprefix(origin)):
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


def existing_directory(directory: Path) -> Path:
    if not directory.is_dir():
        raise ValueError("must be a directory")
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
