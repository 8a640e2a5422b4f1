"""Headers of every response, responses as raw bytes, and the refusals of the protocol class."""

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any, NamedTuple, Protocol, runtime_checkable
from uuid import UUID

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from adsvc import API_VERSION
from adsvc.kit.errors import RateLimitState

# The ASGI extension by which an application sends a `RawResponse` in one piece: a function that
# takes it, and returns False if it cannot send it now.
RAW_RESPONSE = "adsvc.ready"
# And that by which it says that its response goes on for long: a function, called before the first
# byte, that bounds what the kernel keeps of it.
STREAM = "adsvc.stream"

Header = tuple[bytes, bytes]


def new_request_id() -> str:
    """A random UUID (RFC 9562 §5.4). It need not be unpredictable."""
    text = f"{random.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


# The key in a scope of the id that a trusted proxy gave the request.
GIVEN_REQUEST_ID = "adsvc.request_id"

# As RFC 9562 writes it, or in 32 digits, as nginx's `$request_id` is.
UUID_FORMS = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}", re.IGNORECASE)


def given_request_id(text: bytes) -> str | None:
    """The id that a proxy gave, with hyphens; None if it is no UUID."""
    return str(UUID(text.decode())) if UUID_FORMS.fullmatch(text) else None


def request_id_of(scope: Mapping[str, Any]) -> str:
    """The id from a trusted proxy, or a new one."""
    return scope.get(GIVEN_REQUEST_ID) or new_request_id()


def encode(headers: Sequence[Header]) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers])


class SharedHeaders:
    """Headers that many responses share, encoded once."""

    __slots__ = ("encoded", "headers")

    def __init__(self, headers: Sequence[Header]) -> None:
        self.headers = tuple(headers)
        self.encoded = encode(headers)


NOTHING_SHARED = SharedHeaders(())


class RawHead:
    """The head of a response that is sent many times, encoded once."""

    __slots__ = ("_own", "_shared", "encoded", "status")

    def __init__(
        self, status: int, own: Sequence[Header], shared: SharedHeaders = NOTHING_SHARED
    ) -> None:
        self.status = status
        self._own, self._shared = own, shared
        self.encoded = STATUS_LINE[status] + encode(own) + shared.encoded

    @property
    def headers(self) -> Sequence[Header]:
        return (*self._own, *self._shared.headers)


class RawResponse(NamedTuple):
    """`own` are the headers that distinguish this response from others with the same head."""

    head: RawHead
    own: Sequence[Header]
    body: bytes


@runtime_checkable
class ImmediateApplication(Protocol):
    """An ASGI application that may have a response at once, without a task."""

    def immediate_response(self, scope: Any) -> RawResponse | None:  # noqa: ANN401 - each library has its own type
        """The scope is that with which the application would be called."""


# Headers that an API's responses need (OWASP REST Security Cheat Sheet); pages have their own
# policy.
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

SECURITY = tuple((k.lower().encode(), v.encode()) for k, v in SECURITY_HEADERS.items())

# The version of the interface, as `info.version` in the document.
VERSION: Header = (b"adsvc-version", API_VERSION.encode())

EVERYWHERE = (*SECURITY, VERSION)

# Sent over HTTPS only.
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
    # Two that known clients send without a purpose.
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

# Sent to pages of all origins, allowed or not. Allowed ones also get their own name.
CORS: tuple[Header, ...] = (
    (b"access-control-allow-credentials", b"true"),
    (b"access-control-expose-headers", ", ".join(CORS_RESPONSE_HEADERS).encode()),
)

# Permissions differ by origin, so a cache must not reuse a response for another origin.
VARY: Header = (b"vary", b"Origin")

Caching = tuple[Header, ...]

# Every cache may store the response, and must revalidate it at each use: a 304 is cheap.
PUBLIC: Caching = (
    (b"cache-control", b"public, no-cache"),
    (b"vary", b"Accept-Encoding"),
)

PRIVATE: Caching = (
    (b"cache-control", b"private, no-cache"),
    (b"vary", b"Authorization, Accept-Encoding"),
)

# Names are never reused for other content, so it need not be revalidated.
IMMUTABLE = b"public, max-age=31536000, immutable"


PREFERENCE_APPLIED: Header = (b"preference-applied", b"handling=strict")

# The first of several counts (RFC 7240 §2).
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


def rate_limit_headers(state: RateLimitState | None) -> dict[str, str]:
    """The policy and the attempts left (draft-ietf-httpapi-ratelimit-headers-10)."""
    if state is None:
        return {}
    return {
        "RateLimit-Policy": f'"{state.policy}";q={state.limit};w={state.window}',
        "RateLimit": f'"{state.policy}";r={state.remaining};t={state.reset}',
    }


def secured(headers: Sequence[Header]) -> tuple[Header, ...]:
    """Adds the version, and security headers that the response does not have itself."""
    names = {name for name, _ in headers}
    return (*headers, *(header for header in EVERYWHERE if header[0] not in names))


_EVERYWHERE = SharedHeaders(EVERYWHERE)
_EVERYWHERE_NAMES = frozenset(name for name, _ in EVERYWHERE)


def secured_head(status: int, headers: Sequence[Header]) -> RawHead:
    """The head with these headers and those that `secured` adds."""
    if _EVERYWHERE_NAMES.isdisjoint([name for name, _ in headers]):
        return RawHead(status, headers, _EVERYWHERE)
    return RawHead(status, secured(headers))


# Their values are addresses, which operations give without the prefix of `ADSVC_ROOT_PATH`.
LOCATIONS = {b"location", b"content-location"}


@dataclass(frozen=True, slots=True)
class ResponseHeaders:
    # The origins whose pages may read responses.
    origins: frozenset[str]
    root_path: str = ""

    def own(self, request_id: str, origin: bytes | None, *, secure: bool) -> list[Header]:
        """Headers that depend on the request."""
        headers = [VARY, (b"x-request-id", request_id.encode())]
        if secure:
            headers.append(STRICT)
        if origin is not None:
            headers += CORS
            if origin.decode("latin-1") in self.origins:
                headers.append((b"access-control-allow-origin", origin))
        return headers

    def below_prefix(self, headers: list[Header]) -> list[Header]:
        """With the prefix before the addresses in them."""
        prefix = self.root_path.encode()
        if not prefix:
            return headers
        return [
            (name, prefix + value if name in LOCATIONS and value.startswith(b"/") else value)
            for name, value in headers
        ]


VERSIONS = {"1.0", "1.1"}

# RFC 9110 §7.2: a name or an address, and a port. It may be empty.
HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")

# Headers that the parser obeys even in trailers, where they mean nothing (RFC 9110 §6.5.1).
NO_TRAILERS = {b"connection", b"proxy-connection", b"upgrade"}


def is_clear(version: str, headers: Iterable[Header]) -> bool:
    """Whether version and headers are clearly one request. The parser has checked the lengths."""
    hosts = 0
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if HOST.fullmatch(value) is None:
                return False
        elif name == b"transfer-encoding" and (value.lower() != b"chunked" or version != "1.1"):
            # Only `chunked` is decoded, and HTTP/1.0 has no transfer codings (RFC 9112 §6.1).
            return False
    return version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))


@dataclass(frozen=True, slots=True)
class ProtocolProblem:
    """A problem (RFC 9457) that ends the connection before the application sees a request."""

    status: int
    slug: str
    title: str
    explanation: str

    def answer(self, request_id: str, root_path: str) -> bytes:
        body = json.dumps(
            {
                "type": f"{root_path}/problems#{self.slug}",
                "title": self.title,
                "status": self.status,
                "detail": self.explanation,
                "instance": f"urn:uuid:{request_id}",
            }
        ).encode()
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        return STATUS_LINE[self.status] + encode(secured(headers)) + b"\r\n" + body


BAD_REQUEST = ProtocolProblem(
    400,
    "malformed-http",
    "The request is not valid HTTP",
    "What arrived cannot be read as an HTTP/1.1 request.",
)

TIMED_OUT = ProtocolProblem(
    408,
    "request-timeout",
    "The request did not arrive in time",
    "The head of a request, and then its body, must be complete within a time each.",
)

HEADERS_TOO_LARGE = ProtocolProblem(
    431,
    "headers-too-large",
    "The request line or the headers are too large",
    "Their size together and the number of headers are limited.",
)

PROTOCOL_PROBLEMS = (BAD_REQUEST, TIMED_OUT, HEADERS_TOO_LARGE)


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Both dates are the beginnings of days in UTC."""

    since: date
    # The operation may be removed from then on.
    sunset: date
    # The operation to use instead, as the document names it.
    successor: str

    @property
    def headers(self) -> dict[str, str]:
        """RFC 9745 writes the moment as a structured field, RFC 8594 as an HTTP date."""
        since, sunset = (
            datetime.combine(day, time(), tzinfo=UTC) for day in (self.since, self.sunset)
        )
        return {
            "Deprecation": f"@{int(since.timestamp())}",
            "Sunset": format_datetime(sunset, usegmt=True),
        }
