"""Refusals in the OpenAPI document."""

from copy import deepcopy
from typing import Any

from adsvc import errors
from adsvc.api.problems.handlers import PROBLEM_JSON
from adsvc.errors import PROBLEMS_PATH, InternalError, RefusalError
from adsvc.http.responses import HEADERS_TOO_LARGE, TIMED_OUT, ProtocolProblem

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

    Every operation can also fail, or be refused while the database is away.
    """
    listed: dict[int | str, dict[str, Any]] = {}
    if errors.UnauthenticatedError in kinds:
        kinds = (*kinds, errors.InvalidCredentialsError)
        if errors.RateLimitedError not in kinds:
            # With HTTP Basic any request may be a guess at a password.
            kinds = (*kinds, errors.RateLimitedError)
    every: tuple[type[RefusalError], ...] = (*kinds, InternalError, errors.UnavailableError)
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


def _add(response: dict[str, Any], problem: type[RefusalError] | ProtocolProblem) -> None:
    example = {
        "type": f"{PROBLEMS_PATH}#{problem.slug}",
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
