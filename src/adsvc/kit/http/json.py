"""Strict JSON bodies, read into the records of the interface.

`Endpoint.perform` reads a body after the other checks. An anonymous upload is refused before it is
read, and the order of refusals is that of the interface (401, 404, 403, then the body).
"""

import json
import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import (
    Any,
    NoReturn,
    Protocol,
    TypeVar,
)

from fastapi import Request
from pydantic import (
    BaseModel,
    ValidationError,
)
from starlette.requests import ClientDisconnect

from adsvc.kit import errors, faults
from adsvc.kit.faults import Fault
from adsvc.kit.http.responses import prefers_strict
from adsvc.kit.records import NOTHING_TO_CHANGE, UNKNOWN_MEMBER, json_faults, pointer_to

# A request can have thousands of them; a refusal names this many.
MOST_UNKNOWN_NAMED = 20


class BodyLimits(Protocol):
    """The limits of the product's records, which are their validation context."""

    @property
    def json_body_max_bytes(self) -> int: ...


def _check_head(request: Request, what: str, limit: int) -> None:
    """Refuses a body by its declared length, and any `Content-Encoding`: a small one may become
    large.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise errors.EncodedBodyError
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise errors.ContentTooLargeError(what, limit)


async def limited(request: Request, what: str, limit: int) -> AsyncGenerator[bytes, None]:
    """The body in pieces; refused by its declared length if there is one, else as it grows."""
    _check_head(request, what, limit)
    received = 0
    try:
        async for piece in request.stream():
            received += len(piece)
            if received > limit:
                raise errors.ContentTooLargeError(what, limit)
            yield piece
    except ClientDisconnect:
        raise errors.ClientGoneError from None


async def _whole(request: Request, limit: int) -> bytes:
    """As `limited`, in one piece. Mostly it arrives so."""
    _check_head(request, "body", limit)
    received = bytearray()
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise errors.ClientGoneError
        received += message.get("body", b"")
        if len(received) > limit:
            raise errors.ContentTooLargeError("body", limit)
        if not message.get("more_body", False):
            return bytes(received)


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def has_body(request: Request) -> bool:
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
    request: Request,
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
    raw = await _whole(request, most)
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
