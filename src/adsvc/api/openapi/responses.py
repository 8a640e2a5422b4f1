"""Responses and headers that FastAPI cannot know."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from adsvc import API_VERSION
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.openapi.schemas import IMAGE_TYPES, Json, operations, reference


def operations_with_routes(
    document: Json, routes: Sequence[BaseRoute]
) -> Iterator[tuple[Json, Endpoint]]:
    for route in routes:
        endpoint = getattr(route, "endpoint", None)
        if isinstance(route, APIRoute) and isinstance(endpoint, Endpoint):
            yield document["paths"][route.path_format][endpoint.method.lower()], endpoint


REFERENCE = "#/components/headers/{name}"


def _header(description: str, example: str | int, *, always: bool = False) -> Json:
    whole_number = {"type": "integer", "format": "int32"}
    schema = whole_number if isinstance(example, int) else {"type": "string"}
    header: Json = {"description": description, "schema": schema, "example": example}
    return {**header, "required": True} if always else header


HEADERS: dict[str, Json] = {
    "Adsvc-Version": _header(
        "The version of the interface, as `info.version` of this document.", API_VERSION
    ),
    "Content-Disposition": _header(
        "A name for the file.", 'attachment; filename="adsvc-export.json"', always=True
    ),
    "Content-Location": _header(
        "The path of the picture in the body (RFC 9110 §8.7).",
        "/images/0f8fad5bd9cb469fa16570867728950e.jpg",
        always=True,
    ),
    "Content-Range": _header(
        "Which bytes the body has, and how many there are (RFC 9110 §14.4).",
        "bytes 0-1023/48213",
        always=True,
    ),
    "Deprecation": _header(
        "Since when the operation is deprecated (RFC 9745).", "@1795305600", always=True
    ),
    "ETag": _header(
        "The version of the resource, for `If-None-Match` and `If-Match` (RFC 9110 §8.8.3). After "
        "a change, the new one.",
        '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
        always=True,
    ),
    "Idempotent-Replayed": _header(
        "`true` if this is the answer to an earlier request with the same `Idempotency-Key`.",
        "true",
    ),
    "Link": _header(
        "The address of the next page, if there is one (RFC 8288).",
        '</ads?limit=20&cursor=WzQyXQ>; rel="next"',
    ),
    "Location": _header("The address of the resource (RFC 9110 §10.2.2).", "/ads/42", always=True),
    "RateLimit": _header(
        "The attempts that are left (`r`), and the seconds until there is one more (`t`) "
        "(draft-ietf-httpapi-ratelimit-headers-10).",
        '"writes";r=599;t=1',
    ),
    "RateLimit-Policy": _header(
        "The limit: attempts (`q`) in a window of seconds (`w`).", '"writes";q=600;w=600'
    ),
    "Retry-After": _header("Seconds to wait before the next attempt.", 2, always=True),
    "Sunset": _header(
        "When the operation may be removed (RFC 8594).",
        "Mon, 22 Nov 2027 00:00:00 GMT",
        always=True,
    ),
    "WWW-Authenticate": _header(
        "The accepted schemes of credentials (RFC 9110 §11.6.1, RFC 6750).",
        'Bearer realm="adsvc"',
        always=True,
    ),
    "X-Request-Id": _header(
        "Identifies the request, also in the service's log.",
        "7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10",
        always=True,
    ),
}


IF_NONE_MATCH: Json = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of the client's copy. The answer is 304 if the copy is current.",
    "schema": {"type": "string"},
    "example": '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
}

IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of what the client has read, several, or `*`. If it has changed "
    "since, nothing is done and the answer is 412.",
    "schema": {"type": "string"},
    "example": '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
}

# Conditional headers, by the status of a failed condition.
CONDITIONS = {"304": IF_NONE_MATCH, "412": IF_MATCH}


def describe_headers(responses: Json, parameters: list[Json], endpoint: Endpoint) -> None:
    """Adds the headers that follow from the kind of operation, by their names."""
    sent = {parameter["name"] for parameter in parameters}
    for status, response in responses.items():
        names = {"Adsvc-Version", "X-Request-Id"}
        if status.startswith("2"):
            names |= _headers_of_success(sent, endpoint)
        if status == "204":
            # A dry run has no answer to replay.
            names.discard("Idempotent-Replayed")
        described = response.setdefault("headers", {})
        described |= {name: {} for name in sorted(names - described.keys())}
    parameters += [deepcopy(CONDITIONS[status]) for status in CONDITIONS.keys() & responses.keys()]


def _headers_of_success(sent: set[str], endpoint: Endpoint) -> set[str]:
    names = set()
    if "cursor" in sent:
        names.add("Link")
    if endpoint.takes_key:
        names.add("Idempotent-Replayed")
    if endpoint.is_counted:
        names |= {"RateLimit", "RateLimit-Policy"}
    if endpoint.deprecation is not None:
        names |= endpoint.deprecation.headers.keys()
    return names


def share_headers(document: Json) -> None:
    """Refers to the components of the headers that `HEADERS` describes."""
    used = set()
    for *_, operation in operations(document):
        for response in operation["responses"].values():
            headers = response["headers"]
            for name in headers.keys() & HEADERS.keys():
                if "description" in headers[name]:
                    continue
                headers[name] = {"$ref": REFERENCE.format(name=name)}
                used.add(name)
    document["components"]["headers"] = {name: deepcopy(HEADERS[name]) for name in sorted(used)}


Responses = dict[int | str, dict[str, Any]]

# Headers by name; `HEADERS` describes them.
Headers = dict[str, dict[str, Any]]


# Schemas without a class of our own.
RECORDS: dict[str, dict[str, Any]] = {
    "CategorySchema": {
        "type": "object",
        "additionalProperties": True,
        "description": "A JSON Schema (2020-12) of the member `attributes` of ads.",
    }
}


LEFT: Headers = {
    name: {"description": description, "schema": {"type": "string"}, "example": example}
    for name, description, example in (
        (
            "RateLimit",
            "The attempts that are left (`r`), and the seconds until there is one more (`t`).",
            '"login";r=9;t=1',
        ),
        (
            "RateLimit-Policy",
            "The limit: attempts (`q`) in a window of seconds (`w`).",
            '"login";q=10;w=300',
        ),
    )
}


def with_limit(responses: Responses, *statuses: int) -> Responses:
    """The responses, with the headers of a limit at these statuses."""
    for status in statuses:
        headers = responses.setdefault(status, {}).setdefault("headers", {})
        # A refusal may lack them. A success has them unless limits are off.
        headers |= deepcopy(LEFT) if status in {400, 401} else {name: {} for name in LEFT}
    return responses


def category_schema_responses() -> Responses:
    content = {"application/schema+json": {"schema": reference("CategorySchema")}}
    return {200: {"description": "A JSON Schema (2020-12)", "content": content}}


def created_responses() -> Responses:
    """The response of an operation that creates something: its address and its validator."""
    return {201: {"headers": {"Location": {}, "ETag": {}}}}


def written_responses(status: int = 200) -> Responses:
    """The response of a change, with the new validator."""
    return {status: {"headers": {"ETag": {}}}}


def token_responses() -> Responses:
    """The refusals of OAuth, which may have the headers of the limit on guesses."""
    content = {"application/json": {"schema": reference("TokenError")}}
    refused: Responses = {
        400: {
            "description": "Refused in the format of OAuth 2.0 (RFC 6749 §5.2)",
            "content": content,
        }
    }
    return with_limit(refused, 400)


def image_responses(
    *, ranges: bool = False, stored: bool = False, elsewhere: bool = False
) -> Responses:
    """`stored` is for a response with the picture that the request sent.

    With `elsewhere` the picture may be at another address.
    """
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in IMAGE_TYPES}
    etag: Headers = {"ETag": {}}
    located: Headers = {"Content-Location": {}} if stored else {}
    responses: Responses = {
        200: {"description": "The picture", "content": content, "headers": etag | located}
    }
    if ranges:
        responses[206] = {
            "description": "The requested bytes of the picture",
            "content": content,
            "headers": {**etag, "Content-Range": {}},
        }
        responses[304] = {"description": "The client's copy is current; no body", "headers": etag}
    if elsewhere:
        responses[307] = {
            "description": "The picture is at another address",
            "headers": {"Location": {}},
        }
    return responses
