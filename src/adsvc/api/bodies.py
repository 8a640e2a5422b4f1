"""The one front door for request bodies.

Bodies are read by dependencies that come last in a handler's signature, not by FastAPI, which
reads them before anything else: an anonymous upload is refused before it is read, and the order
of checks is that of the interface (401, 404, 403, then the body).
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from adsvc.errors import (
    ContentTooLargeError,
    Fault,
    ImageStoreUnavailableError,
    InvalidRequestError,
    UnsupportedMediaTypeError,
)
from adsvc.limits import Limits

Body = TypeVar("Body", bound=BaseModel)

MAX_DEPTH = 32
# RFC 2046 §5.1.1.
BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")
# Boundaries, part headers and small parts nobody asked for.
FORM_OVERHEAD_BYTES = 64 * 1024
MAX_TEXT_PARTS = 10
MAX_PARAMETERS = 20
# The picture, and `properties` when it comes as a file.
MAX_FILE_PARTS = 2


async def _limited(request: Request, what: str, limit: int) -> AsyncGenerator[bytes, None]:
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


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_json(request: Request, model: type[Body], limits: Limits) -> Body:
    """The JSON body as that record, or a refusal."""
    if _media_type(request) != "application/json":
        raise UnsupportedMediaTypeError("a body of type application/json")
    pieces = [piece async for piece in _limited(request, "body", limits.json_body_max_bytes)]
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
    if _media_type(request) != "application/x-www-form-urlencoded":
        raise UnsupportedMediaTypeError("a body of type application/x-www-form-urlencoded")
    pieces = [piece async for piece in _limited(request, "body", limits.json_body_max_bytes)]
    try:
        pairs = parse_qsl(b"".join(pieces).decode(), errors="strict", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise InvalidRequestError(Fault("is not a form that this service accepts")) from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs) or "\0" in "".join(parameters.values()):
        raise InvalidRequestError(Fault("is not a form that this service accepts"))
    return parameters


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a multipart body that operations ask for."""

    image: bytes
    properties: bytes | None


async def read_form(request: Request, limits: Limits, *, with_properties: bool = False) -> Form:
    """The parts `image` and, if asked for, `properties`; others are ignored."""
    if _media_type(request) != "multipart/form-data":
        raise UnsupportedMediaTypeError("a body of type multipart/form-data")
    async with _parsed(request, limits) as form:
        image = await _part(form, "image", limits.image_max_bytes)
        properties = None
        if with_properties:
            properties = await _part(form, "properties", limits.json_body_max_bytes)
    return Form(image, properties)


class _WholeForms(MultiPartParser):
    """Refuses a form that was cut off, which Starlette takes for one with fewer parts."""

    _ended = False

    def on_end(self) -> None:
        self._ended = True

    async def parse(self) -> FormData:
        form = await super().parse()
        if not self._ended:
            for file in self._files_to_close_on_error:
                file.close()
            raise MultiPartException("The closing boundary is missing.")
        return form


@asynccontextmanager
async def _parsed(request: Request, limits: Limits) -> AsyncIterator[FormData]:
    limit = limits.image_max_bytes + limits.json_body_max_bytes + FORM_OVERHEAD_BYTES
    parser = _WholeForms(
        _form_headers(request),
        _limited(request, "body", limit),
        max_files=MAX_FILE_PARTS,
        max_fields=MAX_TEXT_PARTS,
        max_part_size=limit,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, UnicodeError, ValueError):
        raise InvalidRequestError(
            Fault("is not a multipart form that this service accepts")
        ) from None
    except OSError as error:
        # Large parts wait in temporary files, and there is no room for them.
        raise ImageStoreUnavailableError from error
    try:
        yield form
    finally:
        await form.close()


def _form_headers(request: Request) -> Headers:
    """The boundary, with a character set in which text parts keep their bytes as they are."""
    _, options = parse_options_header(request.headers["content-type"])
    boundary = options.get(b"boundary", b"")
    if not BOUNDARY.fullmatch(boundary):
        raise InvalidRequestError(Fault("has no valid multipart boundary"))
    content_type = b'multipart/form-data; charset=latin-1; boundary="' + boundary + b'"'
    return Headers(raw=[(b"content-type", content_type)])


async def _part(form: FormData, name: str, limit: int) -> bytes:
    parts = form.getlist(name)
    if len(parts) != 1:
        detail = "must be there" if not parts else "must be there only once"
        raise InvalidRequestError(Fault(detail, name, "parameter"))
    part = parts[0]
    content = await part.read(limit + 1) if isinstance(part, UploadFile) else part.encode("latin-1")
    if len(content) > limit:
        raise ContentTooLargeError(f"part {name}", limit)
    return content
