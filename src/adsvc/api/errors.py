"""What each error means in HTTP: one table, the handlers that apply it, and its documentation."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from adsvc import errors
from adsvc.db import is_database_fault
from adsvc.schemas.problem import FaultDetail, Problem

logger = logging.getLogger("adsvc.api")

PROBLEM_JSON = "application/problem+json"
PROBLEMS_PATH = "/problems"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Meaning:
    status: int
    slug: str
    title: str
    # What a client's developer should know; shown on the page that problem types point to.
    explanation: str

    @property
    def type(self) -> str:
        return f"{PROBLEMS_PATH}#{self.slug}"


class MethodNotAllowedError(errors.RefusalError):
    detail = "This address does not have that method; see Allow."

    def __init__(self, allowed: list[str]) -> None:
        super().__init__()
        self.allowed = allowed


class InternalError(errors.RefusalError):
    detail = "The service failed; the log has the cause under this request's id."


MEANINGS: Mapping[type[errors.RefusalError], Meaning] = {
    errors.InvalidRequestError: Meaning(
        400,
        "invalid-request",
        "The request is not valid",
        "Something is missing, malformed or outside its limits. `errors` lists what and where.",
    ),
    errors.InvalidImageError: Meaning(
        400,
        "invalid-image",
        "The image cannot be used",
        "The file begins like a picture but cannot be decoded, or has too many pixels.",
    ),
    errors.UnauthenticatedError: Meaning(
        401,
        "unauthenticated",
        "Credentials are needed",
        "Send `Authorization: Bearer` with a token from `/login` that has not expired.",
    ),
    errors.WrongCredentialsError: Meaning(
        401,
        "wrong-credentials",
        "The user name or the password is wrong",
        "Which of the two it was is not told.",
    ),
    errors.ForbiddenError: Meaning(
        403,
        "forbidden",
        "You may not do this",
        "The credentials are valid but belong to neither the author nor an administrator.",
    ),
    errors.WrongPasswordError: Meaning(
        403,
        "wrong-password",
        "The current password is wrong",
        "Changing the password and deleting the account ask for the current password again.",
    ),
    errors.NotFoundError: Meaning(
        404, "not-found", "There is nothing here", "No operation of the service has this address."
    ),
    errors.AdNotFoundError: Meaning(
        404, "ad-not-found", "There is no such ad", "It never existed or has been deleted."
    ),
    errors.CommentNotFoundError: Meaning(
        404,
        "comment-not-found",
        "There is no such comment",
        "It has been deleted, never existed, or belongs to another ad.",
    ),
    errors.SessionNotFoundError: Meaning(
        404, "session-not-found", "There is no such session", "It has ended, or is not yours."
    ),
    errors.ImageNotFoundError: Meaning(
        404,
        "image-not-found",
        "There is no such image",
        "It has been replaced or its ad deleted; fetch the ad again for its current path.",
    ),
    MethodNotAllowedError: Meaning(
        405,
        "method-not-allowed",
        "The method is not allowed",
        "The header `Allow` lists the methods that this address has.",
    ),
    errors.UsernameTakenError: Meaning(
        409,
        "username-taken",
        "The user name is taken",
        "User names are unique without regard to case.",
    ),
    errors.ContentTooLargeError: Meaning(
        413,
        "content-too-large",
        "The body is too large",
        "`detail` names the limit. Nothing was stored.",
    ),
    errors.UnsupportedMediaTypeError: Meaning(
        415,
        "unsupported-media-type",
        "The media type is not supported",
        "The `Content-Type` of the request is not what the operation takes.",
    ),
    errors.UnsupportedImageError: Meaning(
        415,
        "unsupported-image",
        "This kind of image is not supported",
        "Pictures are taken in JPEG, PNG and WebP, whatever their name and declared type.",
    ),
    errors.RangeNotSatisfiableError: Meaning(
        416,
        "range-not-satisfiable",
        "The range cannot be satisfied",
        "The header `Content-Range` tells the size of the image.",
    ),
    errors.RateLimitedError: Meaning(
        429,
        "rate-limited",
        "Too many attempts",
        "Wait for as many seconds as the header `Retry-After` says.",
    ),
    InternalError: Meaning(
        500,
        "internal-error",
        "The service failed",
        "Not your fault. Quote `instance` when you report it.",
    ),
    errors.UnavailableError: Meaning(
        503,
        "unavailable",
        "The service is not available",
        "The database cannot be reached now. Try again after `Retry-After` seconds.",
    ),
    errors.ImageStoreUnavailableError: Meaning(
        503,
        "image-store-unavailable",
        "The image store is not available",
        "Pictures can be neither stored nor read now. Nothing was changed.",
    ),
    errors.OverloadedError: Meaning(
        503,
        "overloaded",
        "The service is overloaded",
        "Nothing was changed. Try again after `Retry-After` seconds.",
    ),
}


# Why an operation that takes a picture can be refused.
UPLOAD_REFUSALS = (
    errors.InvalidRequestError,
    errors.InvalidImageError,
    errors.UnauthenticatedError,
    errors.ContentTooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.UnsupportedImageError,
    errors.ImageStoreUnavailableError,
    errors.OverloadedError,
    errors.RateLimitedError,
)


def meaning_of(error: type[errors.RefusalError]) -> Meaning:
    """The table's entry for the class or for the nearest class above it."""
    return next(MEANINGS[base] for base in error.__mro__ if base in MEANINGS)


def refusals(*kinds: type[errors.RefusalError]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of an operation that can be refused for these reasons.

    Every operation can fail, and be refused while the database is away.
    """
    listed: dict[int | str, dict[str, Any]] = {}
    if errors.UnauthenticatedError in kinds and errors.RateLimitedError not in kinds:
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
    if isinstance(error, errors.RefusalError):
        return error
    told = {"request_id": request_id}
    if is_database_fault(error):
        logger.warning("The database is at fault: %s", type(error).__name__, extra=told)
        return errors.UnavailableError()
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
    response = problem_response(as_refusal(error, request_id), request_id)
    if response.status_code == 401 and request.app.state.resources.settings.http_basic:  # noqa: PLR2004
        response.headers.append("WWW-Authenticate", 'Basic realm="adsvc", charset="UTF-8"')
    return response


async def _refuse_parameters(request: Request, error: Exception) -> Response:
    """FastAPI validates parameters of path and query; bodies are read by `api.bodies`."""
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    # Behind the name stands which of the types that a value may have it is not, and "or None" is one
    # of them. A dependency that failed is tried for everybody who asks for it.
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
