"""HTTP messages: headers of every response, responses as raw bytes, strict JSON bodies.

`Endpoint.perform` reads a body after the other checks. An anonymous upload is refused before it is
read, and the order of refusals is that of the interface (401, 404, 403, then the body).
"""

import json
import random
import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol, TypeVar, runtime_checkable
from uuid import UUID

from pydantic import BaseModel, ValidationError
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from adsvc import API_VERSION
from adsvc.kit import errors, faults
from adsvc.kit.errors import RateLimitState
from adsvc.kit.faults import Fault
from adsvc.kit.records import NOTHING_TO_CHANGE, UNKNOWN_MEMBER, json_faults, pointer_to

if TYPE_CHECKING:
    # The exporter's process needs no framework.
    from fastapi import Request

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


# A request can have thousands of them; a refusal names this many.
MOST_UNKNOWN_NAMED = 20


class BodyLimits(Protocol):
    """The limits of the product's records, which are their validation context."""

    @property
    def json_body_max_bytes(self) -> int: ...


async def limited(request: "Request", what: str, limit: int) -> AsyncGenerator[bytes, None]:
    """The body in pieces; refused by its declared length if there is one, else as it grows.

    Any `Content-Encoding` is refused: a small body may become large.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise errors.EncodedBodyError
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise errors.ContentTooLargeError(what, limit)
    received, has_more = 0, True
    while has_more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise errors.ClientGoneError
        piece = message.get("body", b"")
        received += len(piece)
        if received > limit:
            raise errors.ContentTooLargeError(what, limit)
        yield piece
        has_more = message.get("more_body", False)


def media_type(request: "Request") -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def has_body(request: "Request") -> bool:
    """Whether the head announces one."""
    length = request.headers.get("content-length", "0")
    return length != "0" or "transfer-encoding" in request.headers


Body = TypeVar("Body", bound=BaseModel)

MAX_DEPTH = 32
JSON_TYPES = frozenset({"application/json"})

# A change may also have this type (RFC 7396).
PATCH_TYPES = JSON_TYPES | {"application/merge-patch+json"}

# How the messages of Python's parser begin, and what we say in their place.
SYNTAX = {
    "Expecting value": "a value is expected",
    "Expecting property name": "a member's name in double quotes is expected",
    "Expecting ':'": "a colon is expected",
    "Expecting ','": "a comma or the end is expected",
    "Illegal trailing comma": "a comma stands before the end",
    "Unterminated string": "a text does not end",
    "Invalid control character": "a control character has to be escaped",
    "Invalid \\": "a backslash escapes nothing",
    "Extra data": "there is more behind the end",
}


class UnusableJsonError(ValueError):
    """JSON that is well-formed and not accepted; `pointer` is the place, if it is known."""

    def __init__(self, why: str, pointer: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.pointer = pointer


class TwiceError(UnusableJsonError):
    """An object has two members of one name."""


async def read_json(
    request: "Request",
    model: type[Body],
    limits: BodyLimits,
    max_bytes: int | None = None,
    *,
    query_faults: Sequence[Fault] = (),
) -> Body:
    """The JSON body as that record, or a refusal; `query_faults` are faults of the query."""
    if media_type(request) not in (PATCH_TYPES if request.method == "PATCH" else JSON_TYPES):
        raise errors.UnsupportedMediaTypeError("a body of type application/json")
    most = max_bytes or limits.json_body_max_bytes
    raw = b"".join([piece async for piece in limited(request, "body", most)])
    strict = prefers_strict(request.scope["headers"])
    return parse_json(raw, model, limits, query_faults=query_faults, strict=strict)


def parse_json(
    raw: bytes,
    model: type[Body],
    limits: BodyLimits,
    *,
    query_faults: Sequence[Fault] = (),
    strict: bool = False,
) -> Body:
    """Strict JSON (RFC 8259, without duplicate names: RFC 7493), then the record's rules.

    `query_faults` are those of the rest of the request, which the refusal lists too. With `strict`
    a member that the record does not have is a fault; otherwise it is ignored.
    """
    try:
        record = _parsed(raw, model, limits, strict=strict)
    except errors.InvalidRequestError as error:
        error.faults = (*query_faults, *error.faults)
        raise
    if query_faults:
        raise errors.InvalidRequestError(*query_faults, sent=members_of(record))
    return record


def members_of(record: BaseModel) -> dict[str, Any]:
    """The members that were sent, by their names in the interface."""
    return record.model_dump(by_alias=True, exclude_unset=True)


def _parsed(raw: bytes, model: type[Body], limits: BodyLimits, *, strict: bool) -> Body:
    text = ""
    try:
        text = raw.decode()
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        _check_text(value, MAX_DEPTH)
    except (ValueError, RecursionError) as error:
        raise errors.InvalidRequestError(_unreadable(error, text)) from None
    unknown = _unknown_members(value, model, limits) if strict else []
    try:
        record = model.model_validate(value, context=limits, by_name=False, by_alias=True)
    except ValidationError as error:
        found = error.errors(include_url=False)
    else:
        if unknown:
            raise errors.InvalidRequestError(*unknown, sent=members_of(record))
        return record
    listed = [*json_faults(found), *unknown]
    if not strict and any(fault.detail == NOTHING_TO_CHANGE for fault in listed):
        listed += _unknown_members(value, model, limits)
    raise errors.InvalidRequestError(*listed, sent=_sound(value, found))


def _unreadable(error: ValueError | RecursionError, text: str) -> Fault:
    """The place and the reason, without the text that is there."""
    match error:
        case json.JSONDecodeError():
            reasons = (reason for begin, reason in SYNTAX.items() if error.msg.startswith(begin))
            why = next(reasons, "it cannot be read")
            detail = f"is not JSON at line {error.lineno}, column {error.colno}: {why}"
            return faults.malformed(detail).at("")
        case UnicodeDecodeError():
            return faults.malformed(f"is not UTF-8 at byte {error.start + 1}").at("")
        case TwiceError():
            return faults.malformed(f"is not taken as JSON {_place_of_second(text)}").at("")
        case UnusableJsonError():
            return faults.malformed(f"is not taken as JSON: {error.why}").at(error.pointer)
        case RecursionError():
            why = "it is nested too deep"
        case _:
            # Python limits the digits of an integer.
            why = "a number is too long"
    return faults.malformed(f"is not taken as JSON: {why}").at("")


def _unknown_members(value: object, model: type[BaseModel], limits: BodyLimits) -> list[Fault]:
    """A fault for each member that the record does not have."""
    try:
        model.model_validate(value, context=limits, by_name=False, by_alias=True, extra="forbid")
    except ValidationError as error:
        found = error.errors(include_url=False)
        unknown = [each for each in found if each["type"] == UNKNOWN_MEMBER]
        return json_faults(unknown[:MOST_UNKNOWN_NAMED])
    return []


def _sound(value: object, found: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The members that are valid by themselves."""
    members = value if isinstance(value, dict) else {}
    at_fault = {error["loc"][0] for error in found if error["loc"]}
    return {name: member for name, member in members.items() if name not in at_fault}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise TwiceError("an object has two members of one name")
    return members


# What is a text, or begins or ends something.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
LONGEST_NAMED = 60


def _place_of_second(text: str) -> str:
    """Where the first member is whose object has its name already. The text is JSON up to there."""
    # The names of each object that is open; None for a list.
    opened: list[set[str] | None] = []
    before = ""
    for token in TOKEN.finditer(text):
        written = token[0]
        if written in "{[":
            opened.append(set() if written == "{" else None)
        elif written in "}]":
            opened.pop()
        elif written != "," and before in {"{", ","} and (names := opened[-1]) is not None:
            name = json.loads(written)
            if name in names:
                line = text.count("\n", 0, token.start()) + 1
                column = token.start() - text.rfind("\n", 0, token.start())
                shown = name[:LONGEST_NAMED].encode(errors="backslashreplace").decode()
                why = f'an object has two members of one name: "{shown}"'
                return f"at line {line}, column {column}: {why}"
            names.add(name)
        before = written
    raise AssertionError("The parser has found two members of one name.")


def _refuse_constant(_: str) -> NoReturn:
    raise UnusableJsonError("NaN and Infinity are no numbers of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise UnusableJsonError("a number is out of range")
    return number


def _check_text(value: object, depth: int) -> None:
    """Refuses lone surrogates and NUL in any string or name, and nesting that is too deep."""
    if depth == 0:
        raise UnusableJsonError("it is nested too deep")
    if isinstance(value, str):
        if "\0" in value:
            raise UnusableJsonError("a text has NUL in it")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UnusableJsonError("a text has half of a surrogate pair in it") from None
    elif isinstance(value, list | dict):
        for name, member in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(name, str):
                _check_text(name, depth)
            try:
                _check_text(member, depth - 1)
            except UnusableJsonError as error:
                error.pointer = pointer_to([name]) + error.pointer
                raise
