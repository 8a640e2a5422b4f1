"""The one front door for request bodies.

Bodies are read by dependencies that come last in a handler's signature, not by FastAPI, which
reads them before anything else: an anonymous upload is refused before it is read, and the order
of checks is that of the interface (401, 404, 403, then the body).
"""

import json
from collections.abc import AsyncGenerator
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

from adsvc.errors import (
    ContentTooLargeError,
    Fault,
    InvalidRequestError,
    UnsupportedMediaTypeError,
)
from adsvc.limits import Limits

Body = TypeVar("Body", bound=BaseModel)

MAX_DEPTH = 32
MAX_PARAMETERS = 20


async def limited(request: Request, what: str, limit: int) -> AsyncGenerator[bytes, None]:
    """The body in pieces; refused by its declared length if there is one, else as it grows."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise ContentTooLargeError(what, limit)
    received = 0
    try:
        async for piece in request.stream():
            received += len(piece)
            if received > limit:
                raise ContentTooLargeError(what, limit)
            yield piece
    except ClientDisconnect:
        # Nobody reads the answer, but the log tells what happened.
        raise InvalidRequestError(Fault("ended before it was complete")) from None


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_json(request: Request, model: type[Body], limits: Limits) -> Body:
    """The JSON body as that record, or a refusal."""
    if media_type(request) != "application/json":
        raise UnsupportedMediaTypeError("a body of type application/json")
    pieces = [piece async for piece in limited(request, "body", limits.json_body_max_bytes)]
    return parse_json(b"".join(pieces), model, limits)


def parse_json(raw: bytes, model: type[Body], limits: Limits) -> Body:
    """Strict JSON (RFC 8259, and RFC 7493's ban on duplicate names), then the record's rules."""
    try:
        value = json.loads(
            raw.decode(),
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        _check_text(value, MAX_DEPTH)
    except (ValueError, RecursionError):
        # UnicodeDecodeError, JSONDecodeError and the integer length limit are ValueErrors.
        raise InvalidRequestError(Fault("is not JSON that this service accepts")) from None
    try:
        return model.model_validate(value, context=limits, by_name=False, by_alias=True)
    except ValidationError as error:
        raise InvalidRequestError(*map(_fault, error.errors(include_url=False))) from None


def _fault(found: Any) -> Fault:  # noqa: ANN401 - pydantic's ErrorDetails
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in found["loc"][:1])
    return Fault(found["msg"], "".join(f"/{part}" for part in parts))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate member names")
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError("a number out of range")
    return number


def _check_text(value: object, depth: int) -> None:
    """Refuses lone surrogates and NUL in any string, names included, and nesting too deep."""
    if depth == 0:
        raise ValueError("nested too deep")
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("NUL in text")
        value.encode()
    elif isinstance(value, list):
        for item in value:
            _check_text(item, depth - 1)
    elif isinstance(value, dict):
        for name, member in value.items():
            _check_text(name, depth)
            _check_text(member, depth - 1)


async def read_parameters(request: Request, limits: Limits) -> dict[str, str]:
    """The parameters of an OAuth 2.0 request: empty ones count as absent (RFC 6749 §3.2)."""
    if media_type(request) != "application/x-www-form-urlencoded":
        raise UnsupportedMediaTypeError("a body of type application/x-www-form-urlencoded")
    pieces = [piece async for piece in limited(request, "body", limits.json_body_max_bytes)]
    try:
        pairs = parse_qsl(b"".join(pieces).decode(), errors="strict", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise InvalidRequestError(Fault("is not a form that this service accepts")) from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs) or "\0" in "".join(parameters.values()):
        raise InvalidRequestError(Fault("is not a form that this service accepts"))
    return parameters
