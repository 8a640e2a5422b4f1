"""Headers of responses, each described once."""

from collections.abc import Sequence
from copy import deepcopy

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from adsvc import API_VERSION
from adsvc.api.dependencies.idempotency.keys import NAME as IDEMPOTENCY_KEY
from adsvc.api.dependencies.throttles import Allowance
from adsvc.api.dependencies.writes import BareWrite, JsonWrite
from adsvc.api.deprecation import DeprecatedRoute
from adsvc.api.openapi.routes import operations_with_routes
from adsvc.api.openapi.schemas import Json, operations

REFERENCE = "#/components/headers/{name}"


def _header(description: str, example: str | int, *, always: bool = False) -> Json:
    whole_number = {"type": "integer", "format": "int32"}
    schema = whole_number if isinstance(example, int) else {"type": "string"}
    header: Json = {"description": description, "schema": schema, "example": example}
    return {**header, "required": True} if always else header


HEADERS: dict[str, Json] = {
    "Adsvc-Version": _header(
        "The version of the interface, which is that of this document.", API_VERSION
    ),
    "Content-Disposition": _header(
        "The name to keep it under.", 'attachment; filename="adsvc-export.json"', always=True
    ),
    "Content-Location": _header(
        "The address of what the body shows (RFC 9110 §8.7).",
        "/images/0f8fad5bd9cb469fa16570867728950e.jpg",
        always=True,
    ),
    "Content-Range": _header("Which bytes, of how many.", "bytes 0-1023/48213", always=True),
    "Deprecation": _header(
        "Since when the operation is deprecated (RFC 9745).", "@1795305600", always=True
    ),
    "ETag": _header(
        "The validator for `If-None-Match` and `If-Match` (RFC 9110 §8.8.3); after a change, that "
        "of what it left.",
        '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
        always=True,
    ),
    "Idempotent-Replayed": _header(
        "`true` if this is the answer to an earlier request with the same `Idempotency-Key`.",
        "true",
    ),
    "Link": _header(
        "The next page, while there is one (RFC 8288).",
        '</ads?limit=20&cursor=WzQyXQ>; rel="next"',
    ),
    "Location": _header("Where it is (RFC 9110 §10.2.2).", "/ads/42", always=True),
    "RateLimit": _header(
        "How many attempts are left, and in how many seconds there is one more "
        "(draft-ietf-httpapi-ratelimit-headers-10).",
        '"writes";r=599;t=1',
    ),
    "RateLimit-Policy": _header(
        "The limit: how many attempts in how many seconds.", '"writes";q=600;w=600'
    ),
    "Retry-After": _header("Seconds to wait.", 2, always=True),
    "Sunset": _header(
        "When the operation may cease to be there (RFC 8594).",
        "Mon, 22 Nov 2027 00:00:00 GMT",
        always=True,
    ),
    "WWW-Authenticate": _header("The challenge (RFC 6750).", 'Bearer realm="adsvc"', always=True),
    "X-Request-Id": _header(
        "Names the request; the line in the service's log has it too.",
        "7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10",
        always=True,
    ),
}


IF_NONE_MATCH: Json = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of the copy that the client has: 304 if it is still current.",
    "schema": {"type": "string"},
    "example": '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
}

IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of the thing as the client has seen it, several, or `*`: if it is "
    "another one by now, nothing is changed (412).",
    "schema": {"type": "string"},
    "example": '"2f6b1a0c9d7e4f58a3b1c0d2e4f6a8"',
}

# By the status that comes of it.
CONDITIONS = {"304": IF_NONE_MATCH, "412": IF_MATCH}


def describe_headers(document: Json, routes: Sequence[BaseRoute]) -> None:
    """Those that follow from what an operation is, and a reference wherever one stands."""
    for operation, route in operations_with_routes(document, routes):
        for status, response in operation["responses"].items():
            names = {"Adsvc-Version", "X-Request-Id"}
            if status.startswith("2"):
                names |= _headers_of_success(operation, route)
            if status == "204":
                # Nothing was made that could be given again.
                names.discard("Idempotent-Replayed")
            described = response.setdefault("headers", {})
            described |= {name: {} for name in sorted(names - described.keys())}
        for status in CONDITIONS.keys() & operation["responses"].keys():
            operation.setdefault("parameters", []).append(deepcopy(CONDITIONS[status]))
    _refer(document)


def _headers_of_success(operation: Json, route: APIRoute) -> set[str]:
    names = set()
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
        names.add("Link")
    if any(parameter["name"] == IDEMPOTENCY_KEY for parameter in operation.get("parameters", ())):
        names.add("Idempotent-Replayed")
    if _is_counted(route.dependant):
        names |= {"RateLimit", "RateLimit-Policy"}
    if isinstance(route, DeprecatedRoute):
        names |= route.deprecation.headers.keys()
    return names


def _is_counted(dependant: Dependant) -> bool:
    call: object = dependant.call
    return isinstance(call, Allowance | BareWrite | JsonWrite) or any(
        map(_is_counted, dependant.dependencies)
    )


def _refer(document: Json) -> None:
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
