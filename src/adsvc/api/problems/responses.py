"""Problem documents (RFC 9457) with the headers that belong to them."""

from fastapi import Response

from adsvc import errors
from adsvc.api.problems.own import MethodNotAllowedError
from adsvc.api.problems.types import problem_type_of
from adsvc.errors.base import RateLimitState
from adsvc.http.headers import as_etag
from adsvc.schemas.problem import FaultDetail, Problem

PROBLEM_JSON = "application/problem+json"

CHALLENGE = 'Bearer realm="adsvc"'


def problem_response(error: errors.RefusalError, request_id: str) -> Response:
    meaning = problem_type_of(type(error))
    about = {
        "type": meaning.type,
        "title": meaning.title,
        "status": meaning.status,
        "detail": error.detail,
        "instance": f"urn:uuid:{request_id}",
        "errors": _faults(error),
    }
    problem = Problem.model_validate({**about, **error.members})
    return Response(
        problem.model_dump_json(exclude_none=True, by_alias=True),
        meaning.status,
        _headers(error),
        PROBLEM_JSON,
    )


def _faults(error: errors.RefusalError) -> list[FaultDetail] | None:
    if not isinstance(error, errors.InvalidRequestError):
        return None
    return [_told(fault) for fault in error.faults]


def _told(fault: errors.Fault) -> FaultDetail:
    # The whole body is at fault where nothing else is named.
    pointer = fault.pointer or "" if fault.parameter is None else None
    place = {"pointer": pointer, "parameter": fault.parameter, "part": fault.part}
    said = {"code": fault.code, "detail": fault.detail}
    return FaultDetail.model_validate({**place, **said, **fault.figures})


def _headers(error: errors.RefusalError) -> dict[str, str]:  # noqa: C901 - a table
    headers = {"Cache-Control": "no-store", **rate_limit_headers(error.rate_limit)}
    match error:
        case errors.InvalidCredentialsError(of_token=True):
            # RFC 6750 §3.1; who sent no token, or another scheme, is told no more than the scheme.
            headers["WWW-Authenticate"] = f'{CHALLENGE}, error="invalid_token"'
        case errors.UnauthenticatedError():
            headers["WWW-Authenticate"] = CHALLENGE
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
        case errors.UnavailableError() | errors.IdempotencyInProgressError():
            headers["Retry-After"] = str(error.retry_after)
    return headers


def _at_once_headers(policy: str, limit: int, retry_after: int) -> dict[str, str]:
    return {
        "Retry-After": str(retry_after),
        "RateLimit-Policy": f'"{policy}";q={limit};qu="concurrent-requests"',
        "RateLimit": f'"{policy}";r=0;t={retry_after}',
    }


def rate_limit_headers(state: RateLimitState | None) -> dict[str, str]:
    """The policy and what is left of it (draft-ietf-httpapi-ratelimit-headers-10)."""
    if state is None:
        return {}
    return {
        "RateLimit-Policy": f'"{state.policy}";q={state.limit};w={state.window}',
        "RateLimit": f'"{state.policy}";r={state.remaining};t={state.reset}',
    }
