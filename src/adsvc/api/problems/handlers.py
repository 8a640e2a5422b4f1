"""Errors as responses: the handlers that apply the table of problem types."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fastapi import Response
from starlette.datastructures import Headers
from starlette.types import Scope

from adsvc import errors
from adsvc.db.faults import is_busy, is_database_fault
from adsvc.errors import Fault, InternalError, MethodNotAllowedError, RateLimitState, faults
from adsvc.http.responses import as_etag, rate_limit_headers
from adsvc.observability.logging import CountedWarning
from adsvc.schemas.problem import FaultDetail, Problem

PROBLEM_JSON = "application/problem+json"
CHALLENGE = 'Bearer realm="adsvc"'


def problem_response(error: errors.RefusalError, request_id: str, root_path: str) -> Response:
    """`root_path` is that of the settings; the page of problem types is below it."""
    about = {
        "type": f"{root_path}{errors.PROBLEMS_PATH}#{error.slug}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "instance": f"urn:uuid:{request_id}",
        "errors": _faults(error),
    }
    problem = Problem.model_validate({**about, **error.members})
    return Response(
        problem.model_dump_json(exclude_none=True, by_alias=True),
        error.status,
        _headers(error),
        PROBLEM_JSON,
    )


def _faults(error: errors.RefusalError) -> list[FaultDetail] | None:
    if not isinstance(error, errors.InvalidRequestError):
        return None
    return [_detail_of(fault) for fault in error.faults]


def _detail_of(fault: errors.Fault) -> FaultDetail:
    # The whole body is at fault if no place is given.
    pointer = fault.pointer or "" if fault.parameter is None else None
    place = {"pointer": pointer, "parameter": fault.parameter, "part": fault.part}
    said = {"code": fault.code, "detail": fault.detail}
    return FaultDetail.model_validate({**place, **said, **fault.figures})


def _headers(error: errors.RefusalError) -> dict[str, str]:  # noqa: C901 - a table
    headers = {"Cache-Control": "no-store", **rate_limit_headers(error.rate_limit)}
    match error:
        case errors.InvalidCredentialsError(of_token=True):
            # RFC 6750 §3.1: without a token, or with another scheme, the challenge has no error.
            headers["WWW-Authenticate"] = f'{CHALLENGE}, error="invalid_token"'
        case errors.UnauthenticatedError():
            headers["WWW-Authenticate"] = CHALLENGE
        case errors.InsufficientScopeError(scope=scope):
            # RFC 6750 §3.1.
            error_code = 'error="insufficient_scope"'
            headers["WWW-Authenticate"] = f'{CHALLENGE}, {error_code}, scope="{scope}"'
        case MethodNotAllowedError(allowed=allowed):
            headers["Allow"] = ", ".join(allowed)
        case errors.EncodedBodyError():
            # RFC 9110 §12.5.3.
            headers["Accept-Encoding"] = "identity"
        case errors.PreconditionFailedError(version=str(version)):
            headers["ETag"] = as_etag(version)
        case errors.RangeNotSatisfiableError(size=size):
            headers["Content-Range"] = f"bytes */{size}"
        case errors.TooManyAtOnceError():
            headers |= _at_once_headers(error.policy, error.limit, error.retry_after)
        case errors.RateLimitedError():
            headers["Retry-After"] = str(error.retry_after)
            limit = error.policy, error.limit, error.window
            headers |= rate_limit_headers(RateLimitState(*limit, 0, error.retry_after))
        case errors.TooManyUploadsError():
            headers |= _at_once_headers("uploads-under-way", error.limit, error.retry_after)
        case errors.TooManyStreamsError():
            headers |= _at_once_headers("streams", error.limit, error.retry_after)
        case errors.UnavailableError() | errors.IdempotencyInProgressError():
            headers["Retry-After"] = str(error.retry_after)
    return headers


def _at_once_headers(policy: str, limit: int, retry_after: int) -> dict[str, str]:
    return {
        "Retry-After": str(retry_after),
        "RateLimit-Policy": f'"{policy}";q={limit};qu="concurrent-requests"',
        "RateLimit": f'"{policy}";r=0;t={retry_after}',
    }


Found = Mapping[str, Any]

# How Pydantic's types of errors begin for a value of the wrong type, and that type in JSON.
TYPES = {
    "string": "string",
    "int": "integer",
    "float": "number",
    "finite": "number",
    "bool": "boolean",
    "dict": "object",
    "model": "object",
    "list": "array",
}

UNKNOWN_MEMBER = "extra_forbidden"
OPTION = re.compile(r"'([^']*)'")
NOT_TAKEN = "is not what may stand here"

# Faults by Pydantic's type of error. Each function gets the error's context.
FAULTS: Mapping[str, Callable[[Found], Fault]] = {
    UNKNOWN_MEMBER: lambda _: faults.unknown("is not a member that is known here"),
    "missing": lambda _: faults.missing(),
    "greater_than_equal": lambda of: faults.out_of_range(of["ge"], of_type=_kind(of["ge"])),
    "less_than_equal": lambda of: faults.out_of_range(None, of["le"], of_type=_kind(of["le"])),
    "string_too_short": lambda of: faults.wrong_length(of["min_length"], None),
    "string_too_long": lambda of: faults.wrong_length(None, of["max_length"]),
    "too_short": lambda of: faults.wrong_count("items", of["min_length"]),
    "too_long": lambda of: faults.wrong_count("items", None, of["max_length"]),
    "string_pattern_mismatch": lambda of: pattern_fault(of["pattern"]),
    "literal_error": lambda of: faults.not_an_option(OPTION.findall(of["expected"])),
    "enum": lambda of: faults.not_an_option(OPTION.findall(of["expected"])),
}


def fault_of(found: Found) -> Fault:
    """The fault for one of `ValidationError.errors()`, without its place or Pydantic's words."""
    kind, context = found["type"], found.get("ctx", {})
    fault = context.get("fault")
    if isinstance(fault, Fault):
        return fault
    if kind in FAULTS:
        return FAULTS[kind](context)
    expected = TYPES.get(kind.partition("_")[0])
    return faults.wrong_format(NOT_TAKEN) if expected is None else faults.wrong_type(expected)


def pattern_fault(pattern: str) -> Fault:
    return faults.wrong_format(f"must match {pattern}", pattern=pattern)


def _kind(bound: float) -> str:
    return "integer" if isinstance(bound, int) else "number"


def json_faults(found: Iterable[Found]) -> list[Fault]:
    """Faults with pointers into the JSON."""
    return [fault_of(error).at(pointer_to(error["loc"])) for error in found]


def pointer_to(location: Iterable[str | int]) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in location)
    return "".join(f"/{part}" for part in parts)


def parameter_faults(found: Iterable[Found]) -> list[Fault]:
    """Faults with names of parameters, with which an error's location begins.

    The location goes on with the alternatives of a type, one of which may be "or None".
    """
    listed: list[Fault] = []
    for error in found:
        if error["type"] != "none_required":
            fault = fault_of(error).of(str(error["loc"][0]))
            if fault not in listed:
                listed.append(fault)
    return listed


logger = logging.getLogger("adsvc.api")
database_faults = CountedWarning(logger, "The database is at fault: %s")


def as_refusal(error: Exception, request_id: str) -> errors.RefusalError:
    """The refusal for any error; one that is not expected is logged."""
    if is_database_fault(error):
        cause = error.__cause__ or error
        database_faults.note(type(cause).__name__, request_id=request_id)
        if is_busy(error):
            return errors.ConnectionsBusyError()
        return errors.DatabaseUnavailableError()
    if isinstance(error, errors.RefusalError):
        return error
    logger.error("An unforeseen error.", exc_info=error, extra={"request_id": request_id})
    return InternalError()


def problem_of(error: Exception, scope: Scope, root_path: str) -> Response:
    """The response to an error. The request's id is in the state of the scope."""
    request_id, headers = scope["state"]["request_id"], Headers(scope=scope)
    refusal = as_refusal(error, request_id)
    if type(refusal) is errors.UnauthenticatedError and (sent := headers.get("authorization")):
        of_token = sent.partition(" ")[0].lower() == "bearer"
        refusal = errors.InvalidCredentialsError(of_token=of_token)
    response = problem_response(refusal, request_id, root_path)
    takes_basic = scope["state"].get("takes_basic", False)
    if isinstance(refusal, errors.UnauthenticatedError) and takes_basic and _by_person(headers):
        response.headers.append("WWW-Authenticate", 'Basic realm="adsvc", charset="UTF-8"')
    return response


def _by_person(headers: Headers) -> bool:
    """Whether a person opened a page: for a script a browser would show a dialogue for Basic."""
    return headers.get("sec-fetch-mode") != "cors" and headers.get("sec-fetch-dest") != "empty"
