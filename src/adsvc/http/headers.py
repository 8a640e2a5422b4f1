"""What every response carries, whoever makes it: decided here, and nowhere else."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adsvc import API_VERSION
from adsvc.http.raw import Header

# What an API's answers need (OWASP REST Security Cheat Sheet); pages bring their own policy.
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

SECURITY = tuple((k.lower().encode(), v.encode()) for k, v in SECURITY_HEADERS.items())

# Of the interface, which is that of `info.version` in the document.
VERSION: Header = (b"adsvc-version", API_VERSION.encode())

EVERYWHERE = (*SECURITY, VERSION)

# Where the connection is secure.
TRANSPORT_SECURITY = "max-age=31536000"

STRICT: Header = (b"strict-transport-security", TRANSPORT_SECURITY.encode())

CORS_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

CORS_REQUEST_HEADERS = (
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "prefer",
    # Two that a known client sends, for no purpose.
    "method",
    "type",
)

CORS_RESPONSE_HEADERS = (
    "adsvc-version",
    "content-location",
    "deprecation",
    "etag",
    "idempotent-replayed",
    "link",
    "location",
    "preference-applied",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "sunset",
    "www-authenticate",
    "x-request-id",
)

# For pages of other origins, allowed or not; what those that are allowed get besides is their name.
CORS: tuple[Header, ...] = (
    (b"access-control-allow-credentials", b"true"),
    (b"access-control-expose-headers", ", ".join(CORS_RESPONSE_HEADERS).encode()),
)

# Only preflights have it, which carry permissions of their own.
PREFLIGHT = b"access-control-allow-methods"

# Without it, a cache gives a page that may read an answer the one it kept for a page that may not.
VARY: Header = (b"vary", b"Origin")

Caching = tuple[Header, ...]

# Anybody may keep it, and must ask each time whether it still holds: 304 is cheap.
PUBLIC: Caching = (
    (b"cache-control", b"public, no-cache"),
    (b"vary", b"Accept-Encoding"),
)

PRIVATE: Caching = (
    (b"cache-control", b"private, no-cache"),
    (b"vary", b"Authorization, Accept-Encoding"),
)

# Its name never changes its content, so nobody needs to ask again.
IMMUTABLE = b"public, max-age=31536000, immutable"


PREFERENCE_APPLIED: Header = (b"preference-applied", b"handling=strict")

# Of several the first one counts (RFC 7240 §2).
HANDLING = re.compile(
    rb'(?:^|,)[ \t]*handling[ \t]*=[ \t]*("?)([a-z]+)\1[ \t]*(?=$|[,;])', re.IGNORECASE
)


def prefers_strict(headers: Iterable[Header]) -> bool:
    """Whether `Prefer: handling=strict` is among them (RFC 7240 §4.4)."""
    said = b",".join(value for name, value in headers if name == b"prefer")
    found = HANDLING.search(said) if said else None
    return found is not None and found[2].lower() == b"strict"


def as_etag(version: str) -> str:
    """A strong validator (RFC 9110 §8.8.3)."""
    return f'"{version}"'


def secured(headers: Sequence[Header]) -> tuple[Header, ...]:
    """With the version, and the security headers that the response does not have of its own."""
    names = {name for name, _ in headers}
    return (*headers, *(header for header in EVERYWHERE if header[0] not in names))


@dataclass(frozen=True, slots=True)
class ResponseHeaders:
    # The origins whose pages may read responses.
    origins: frozenset[str]

    def own(self, request_id: str, origin: bytes | None, *, secure: bool) -> list[Header]:
        """What depends on the request."""
        headers = [VARY, (b"x-request-id", request_id.encode())]
        if secure:
            headers.append(STRICT)
        if origin is not None:
            headers += CORS
            if origin.decode("latin-1") in self.origins:
                headers.append((b"access-control-allow-origin", origin))
        return headers

    def complete(self, headers: Iterable[Header], own: Sequence[Header]) -> list[Header]:
        """All headers of a response, of which the application gave the first."""
        given = [(name.lower(), value) for name, value in headers]
        names = {name for name, _ in given}
        varies = [value.decode("latin-1") for name, value in given if name == b"vary"]
        others = [header for header in given if header[0] != b"vary"]
        fields = [field.strip() for value in varies for field in value.split(",")]
        if "Origin" not in fields:
            fields.append("Origin")
        added = [
            (name, value)
            for name, value in own
            if name != b"vary" and not (PREFLIGHT in names and name.startswith(b"access-control-"))
        ]
        vary = (b"vary", ", ".join(fields).encode("latin-1"))
        return [*secured(others), vary, *added]


VERSIONS = {"1.0", "1.1"}

# RFC 9110 §7.2: a name or an address, and a port. It may be empty.
HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")

# What the parser heeds in trailers too, where it says nothing (RFC 9110 §6.5.1).
NO_TRAILERS = {b"connection", b"proxy-connection", b"upgrade"}


def is_clear(version: str, headers: Iterable[Header]) -> bool:
    """The parser has seen to lengths that contradict each other."""
    hosts = 0
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if HOST.fullmatch(value) is None:
                return False
        elif name == b"transfer-encoding" and (value.lower() != b"chunked" or version != "1.1"):
            # Codings that nobody here undoes, or an older protocol that has none (RFC 9112 §6.1).
            return False
    return version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))
