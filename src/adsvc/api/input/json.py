"""Strict JSON as the records of the interface.

Bodies are read by dependencies that come last in a handler's signature, not by FastAPI, which
reads them before anything else: an anonymous upload is refused before it is read, and the order
of checks is that of the interface (401, 404, 403, then the body).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from adsvc.api.input.body import limited, media_type
from adsvc.api.problems.validation import json_faults
from adsvc.errors import Fault, InvalidRequestError, UnsupportedMediaTypeError, faults
from adsvc.limits import Limits

Body = TypeVar("Body", bound=BaseModel)

MAX_DEPTH = 32


async def read_json(
    request: Request,
    model: type[Body],
    limits: Limits,
    max_bytes: int | None = None,
    *,
    beside: Sequence[Fault] = (),
) -> Body:
    """The JSON body as that record, or a refusal; `beside` are faults of the query."""
    if media_type(request) != "application/json":
        raise UnsupportedMediaTypeError("a body of type application/json")
    most = max_bytes or limits.json_body_max_bytes
    pieces = [piece async for piece in limited(request, "body", most)]
    return parse_json(b"".join(pieces), model, limits, beside=beside)


def parse_json(
    raw: bytes, model: type[Body], limits: Limits, *, beside: Sequence[Fault] = ()
) -> Body:
    """Strict JSON (RFC 8259, and RFC 7493's ban on duplicate names), then the record's rules.

    `beside` is what is known to be wrong with the rest of the request, to be told with it.
    """
    try:
        record = _parsed(raw, model, limits)
    except InvalidRequestError as error:
        error.faults = (*beside, *error.faults)
        raise
    if beside:
        raise InvalidRequestError(*beside, sent=members_of(record))
    return record


def members_of(record: BaseModel) -> dict[str, Any]:
    """What was sent, by the names of the interface."""
    return record.model_dump(by_alias=True, exclude_unset=True)


def _parsed(raw: bytes, model: type[Body], limits: Limits) -> Body:
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
        fault = faults.malformed("is not JSON that this service accepts")
        raise InvalidRequestError(fault.at("")) from None
    try:
        return model.model_validate(value, context=limits, by_name=False, by_alias=True)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise InvalidRequestError(*json_faults(found), sent=_sound(value, found)) from None


def _sound(value: object, found: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The members that nothing is wrong with by themselves."""
    members = value if isinstance(value, dict) else {}
    at_fault = {error["loc"][0] for error in found if error["loc"]}
    return {name: member for name, member in members.items() if name not in at_fault}


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
