"""Errors as answers: the handlers that apply the table of `meanings`, and what they document."""

import logging
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from adsvc import errors
from adsvc.api.errors.meanings import (
    MEANINGS,
    PROBLEMS_PATH,
    InternalError,
    Meaning,
    MethodNotAllowedError,
    meaning_of,
)
from adsvc.db import is_database_fault
from adsvc.schemas.problem import FaultDetail, Problem

__all__ = [
    "MEANINGS",
    "PROBLEMS_PATH",
    "UPLOAD_REFUSALS",
    "InternalError",
    "Meaning",
    "MethodNotAllowedError",
    "add_handlers",
    "as_refusal",
    "problem_response",
    "rate_limit_headers",
    "refusals",
]

logger = logging.getLogger("adsvc.api")

PROBLEM_JSON = "application/problem+json"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


# Why an operation that takes a picture can be refused.
UPLOAD_REFUSALS = (
    errors.InvalidRequestError,
    errors.InvalidImageError,
    errors.UnauthenticatedError,
    errors.QuotaExceededError,
    errors.ContentTooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.UnsupportedImageError,
    errors.ImageStoreUnavailableError,
    errors.DiskNearlyFullError,
    errors.OverloadedError,
    errors.RateLimitedError,
    errors.TooManyUploadsError,
)


def refusals(*kinds: type[errors.RefusalError]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of an operation that can be refused for these reasons.

    Every operation can fail, and be refused while the database is away.
    """
    listed: dict[int | str, dict[str, Any]] = {}
    if errors.UnauthenticatedError in kinds:
        kinds = (*kinds, errors.InvalidCredentialsError)
        if errors.RateLimitedError not in kinds:
            # With HTTP Basic any request may be a guess at a password.
            kinds = (*kinds, errors.RateLimitedError)
    for kind in (*kinds, InternalError, errors.UnavailableError):
        meaning = meaning_of(kind)
        entry = listed.setdefault(meaning.status, _response(meaning.status))
        example = {
            "type": meaning.type,
            "title": meaning.title,
            "status": meaning.status,
            "detail": meaning.explanation,
            "instance": "urn:uuid:7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10",
        }
        entry["content"][PROBLEM_JSON]["examples"][meaning.slug] = {"value": example}
        entry["description"] = " / ".join(filter(None, (entry["description"], meaning.title)))
    return dict(sorted(listed.items(), key=lambda item: int(item[0])))


def _response(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    response: dict[str, Any] = {
        "description": "",
        "content": {PROBLEM_JSON: {"schema": schema, "examples": {}}},
    }
    name = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}.get(status)
    if status == 429:  # noqa: PLR2004 - a status
        response["headers"] = {
            header: {"schema": {"type": "string"}} for header in ("RateLimit", "RateLimit-Policy")
        }
    if name:
        kind = "string" if status == 401 else "integer"  # noqa: PLR2004 - a status
        response.setdefault("headers", {})[name] = {"schema": {"type": kind}}
    return response


def problem_response(error: errors.RefusalError, request_id: str) -> Response:
    meaning = meaning_of(type(error))
    problem = Problem(
        type=meaning.type,
        title=meaning.title,
        status=meaning.status,
        detail=error.detail,
        instance=f"urn:uuid:{request_id}",
        errors=_faults(error),
        quota=getattr(error, "quota", None),
        used=getattr(error, "used", None),
    )
    return Response(
        problem.model_dump_json(exclude_none=True),
        meaning.status,
        _headers(error),
        PROBLEM_JSON,
    )


def _faults(error: errors.RefusalError) -> list[FaultDetail] | None:
    if not isinstance(error, errors.InvalidRequestError):
        return None
    return [FaultDetail(**{fault.kind: fault.place}, detail=fault.detail) for fault in error.faults]


def _headers(error: errors.RefusalError) -> dict[str, str]:
    headers = {"Cache-Control": "no-store"}
    match error:
        case errors.UnauthenticatedError():
            headers["WWW-Authenticate"] = 'Bearer realm="adsvc"'
        case MethodNotAllowedError(allowed=allowed):
            headers["Allow"] = ", ".join(allowed)
        case errors.RangeNotSatisfiableError(size=size):
            headers["Content-Range"] = f"bytes */{size}"
        case errors.RateLimitedError():
            headers["Retry-After"] = str(error.retry_after)
            headers |= rate_limit_headers(
                error.policy, error.limit, error.window, remaining=0, reset=error.retry_after
            )
        case errors.TooManyUploadsError():
            policy = "uploads-under-way"
            headers["Retry-After"] = str(error.retry_after)
            headers["RateLimit-Policy"] = f'"{policy}";q={error.limit};qu="concurrent-requests"'
            headers["RateLimit"] = f'"{policy}";r=0;t={error.retry_after}'
        case errors.UnavailableError():
            headers["Retry-After"] = str(error.retry_after)
    return headers


def rate_limit_headers(
    policy: str, limit: int, window: int, *, remaining: int, reset: int
) -> dict[str, str]:
    """The policy and what is left of it (draft-ietf-httpapi-ratelimit-headers-10)."""
    return {
        "RateLimit-Policy": f'"{policy}";q={limit};w={window}',
        "RateLimit": f'"{policy}";r={remaining};t={reset}',
    }


def as_refusal(error: Exception, request_id: str) -> errors.RefusalError:
    """The refusal that an unforeseen error amounts to."""
    told = {"request_id": request_id}
    if is_database_fault(error):
        cause = error.__cause__ or error
        logger.warning("The database is at fault: %s", type(cause).__name__, extra=told)
        return errors.DatabaseUnavailableError()
    if isinstance(error, errors.RefusalError):
        return error
    logger.error("An unforeseen error.", exc_info=error, extra=told)
    return InternalError()


def _request_id(request: Request) -> str:
    request_id: str = request.state.request_id
    return request_id


def _allowed_methods(routes: list[BaseRoute], request: Request) -> list[str]:
    def matches(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    allowed = [method for method in METHODS if matches(method)]
    if not allowed:
        # Files of the documentation, which are mounted and not routed.
        allowed = ["GET"]
    return ["GET", "HEAD", *allowed[1:]] if "GET" in allowed[:1] else allowed


async def _refuse(request: Request, error: Exception) -> Response:
    request_id = _request_id(request)
    refusal = as_refusal(error, request_id)
    if type(refusal) is errors.UnauthenticatedError and request.headers.get("authorization"):
        refusal = errors.InvalidCredentialsError()
    response = problem_response(refusal, request_id)
    if isinstance(refusal, errors.UnauthenticatedError) and _may_ask_for_basic(request):
        response.headers.append("WWW-Authenticate", 'Basic realm="adsvc", charset="UTF-8"')
    return response


def _may_ask_for_basic(request: Request) -> bool:
    """Not a script, nor at `/login`: browsers open a dialogue of their own for this challenge."""
    headers = request.headers
    by_script = headers.get("sec-fetch-mode") == "cors" or headers.get("sec-fetch-dest") == "empty"
    return getattr(request.state, "takes_basic", False) and not by_script


async def _refuse_parameters(request: Request, error: Exception) -> Response:
    """FastAPI validates parameters of path and query; bodies are read by `api.bodies`."""
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    # Behind the name stands which of the types that a value may have it is not, and "or None" is
    # one of them. A dependency that failed is tried for everybody who asks for it.
    faults = dict.fromkeys(
        errors.Fault(str(fault["msg"]), str(fault["loc"][1]), "parameter")
        for fault in found
        if fault["type"] != "none_required"
    )
    return problem_response(errors.InvalidRequestError(*faults), _request_id(request))


async def _refuse_route(request: Request, error: Exception) -> Response:
    """What Starlette's router raises: no such path, or no such method on it."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    refusal: errors.RefusalError
    if status == 405:  # noqa: PLR2004 - a status
        refusal = MethodNotAllowedError(_allowed_methods(request.app.routes, request))
    elif status == 404:  # noqa: PLR2004 - a status
        refusal = errors.NotFoundError()
    else:
        refusal = InternalError()
    return problem_response(refusal, _request_id(request))


def add_handlers(app: FastAPI) -> None:
    app.add_exception_handler(errors.RefusalError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_parameters)
    app.add_exception_handler(HTTPException, _refuse_route)
