"""Errors as responses: the handlers that apply the table of problem types."""

import logging
from copy import deepcopy
from typing import Any

from fastapi import Response
from starlette.datastructures import Headers
from starlette.types import Scope

from adsvc import errors
from adsvc.kit.db.faults import is_busy, is_database_fault
from adsvc.kit.http.messages import as_etag, rate_limit_headers
from adsvc.kit.http.protocol import HEADERS_TOO_LARGE, TIMED_OUT, ProtocolProblem
from adsvc.kit.observability.logging import CountedWarning
from adsvc.schemas.problem import FaultDetail, Problem, detail_of

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
    return [detail_of(fault) for fault in error.faults]


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
        case errors.MethodNotAllowedError(allowed=allowed):
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
            headers |= rate_limit_headers(errors.RateLimitState(*limit, 0, error.retry_after))
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
    if isinstance(error, errors.PictureMissingError):
        return errors.ImageNotFoundError()
    logger.error("An unforeseen error.", exc_info=error, extra={"request_id": request_id})
    return errors.InternalError()


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


# Refusals of operations that take pictures.
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
    """The `responses` of an operation with these refusals.

    Every operation can also fail, or be refused while the database is away, or by an access rule.
    """
    listed: dict[int | str, dict[str, Any]] = {}
    if errors.UnauthenticatedError in kinds:
        kinds = (*kinds, errors.InvalidCredentialsError)
        if errors.RateLimitedError not in kinds:
            # With HTTP Basic any request may be a guess at a password.
            kinds = (*kinds, errors.RateLimitedError)
    every: tuple[type[errors.RefusalError], ...] = (
        *kinds,
        errors.NetworkRefusedError,
        errors.InternalError,
        errors.UnavailableError,
    )
    for kind in every:
        _add(listed.setdefault(kind.status, _response(kind.status)), kind)
    return dict(sorted(listed.items(), key=lambda item: int(item[0])))


def add_refusal(responses: dict[Any, Any], kind: type[errors.RefusalError]) -> None:
    """Adds a refusal to those of its status."""
    # The draft of the document has the statuses as texts.
    status = kind.status if kind.status in responses else str(kind.status)
    # Operations may share a response, so change a copy.
    known = deepcopy(responses.get(status)) or _response(kind.status)
    responses[status] = known
    if kind is errors.InsufficientScopeError:
        known.setdefault("headers", {})["WWW-Authenticate"] = {
            "description": "With `insufficient-scope`: the scope that the key lacks (RFC 6750).",
            "schema": {"type": "string"},
            "example": 'Bearer realm="adsvc", error="insufficient_scope", scope="ads:write"',
        }
    _add(known, kind)


def protocol_refusals(*, with_body: bool) -> dict[int | str, dict[str, Any]]:
    """The protocol's refusals of any operation; with a body, also of those with a body."""
    listed: dict[int | str, dict[str, Any]] = {}
    for problem in (HEADERS_TOO_LARGE, TIMED_OUT) if with_body else (HEADERS_TOO_LARGE,):
        listed[str(problem.status)] = response = _response(problem.status)
        _add(response, problem)
    return listed


def _add(response: dict[str, Any], problem: type[errors.RefusalError] | ProtocolProblem) -> None:
    example = {
        "type": f"{errors.PROBLEMS_PATH}#{problem.slug}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.explanation,
        "instance": "urn:uuid:7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10",
    }
    response["content"][PROBLEM_JSON]["examples"][problem.slug] = {"value": example}
    response["description"] = " / ".join(filter(None, (response["description"], problem.title)))


def _response(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    response: dict[str, Any] = {
        "description": "",
        "content": {PROBLEM_JSON: {"schema": schema, "examples": {}}},
    }
    if status == 412:  # noqa: PLR2004 - a status
        # Optional here, while that of successes is always there.
        response["headers"] = {
            "ETag": {
                "description": "The validator of what is there now, if anything is.",
                "schema": {"type": "string"},
                "example": '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
            }
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
