"""The OpenAPI document: FastAPI's draft, completed and corrected; renderings for other tools."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from adsvc import errors
from adsvc.api.dependencies.calls import Json as JsonBody
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import VALIDATE
from adsvc.api.openapi.components import add_examples, share_parameters, share_responses
from adsvc.api.openapi.responses import (
    RECORDS,
    describe_headers,
    operations_with_routes,
    share_headers,
)
from adsvc.api.openapi.schemas import FORMS, REFERENCE, Json, operations, reference, tidy_schemas
from adsvc.api.problems import add_refusal
from adsvc.enums import KeyScope
from adsvc.schemas.ads import CreateAd
from adsvc.schemas.auth import TokenError
from adsvc.schemas.limits import publish_limits
from adsvc.schemas.problem import Problem
from adsvc.settings import Settings

OPENAPI_PATH = "/openapi.json"

# The document for the page that tries operations out.
TRIED_PATH = "/docs/openapi.json"

# Code samples by operation id: `make format` has `tools/samples.py` write them.
SAMPLES = Path(__file__).with_name("samples.json")

# The page for people: what the interface promises, and why.
INTERFACE_PATH = "/docs/interface"

DESCRIPTION = """
People register, log in, post ads with pictures, browse, search, comment, edit and delete.
Moderators decide about reported ads and comments. Administrators may also change and delete what
others posted.

In the samples `$ADSVC` is the address of the service and `$TOKEN` an access token from `/login`.
`client` is an `AdsvcClient` that has logged in: from `adsvc-client` in TypeScript, or from
`adsvc_client` in Python.

Moments are in milliseconds since 1970-01-01T00:00Z. Prices are integers in the smallest unit of
the site: `priceDecimals` of `GET /site` says how many of their digits are behind the decimal
mark. Every `GET` also answers `HEAD`. The limits in `GET /site` and in the schemas are those in
force on this installation.

## Clients and tools

`adsvc-client` is the client for TypeScript, and for Python, whose extra `cli` has `adsvc-cli`: it
calls operations, follows events and forwards them to your machine. Its extra `mcp` has `adsvc-mcp`,
which offers operations to a model. For other languages generate a
client from `/openapi.json`, or from `/openapi-3.0.json` with tools that do not read OpenAPI 3.1.
`/postman.json` is a collection for Postman. [/changelog](/changelog) says what versions changed,
[/docs/interface](/docs/interface) what the interface promises.

## Authentication

`POST /login` takes a user name and a password, begins a session, and returns an `access_token`
and a `refresh_token`. Send the first with each request: `Authorization: Bearer <access_token>`.
It expires after `expires_in` seconds. Then, or when an answer is 401 with the type
`invalid-credentials`, renew it: `POST /token` as a form with `grant_type=refresh_token` and the
`refresh_token` returns the next pair.

A refresh token works once. Within ten seconds after its first use it gets the same pair again; a
later use ends the session. So send one renewal at a time, and store the new pair before you use it.
`POST /revoke` ends the session. A new password ends all
sessions and begins a new one. Operations without a lock in this reference need no credentials.

## Keys

A program sends a key instead of a token: `Authorization: Bearer adsvc_...`. A person who has logged
in makes it by `POST /users/me/keys`, with the scopes that the program needs. It is not renewed, and
works until it expires or is deleted. It can do what its account may and its scopes allow; otherwise
the answer is 403 `insufficient-scope`, with the scope that is missing in `scope`. Each operation
says which scope a key needs. Where it says that it needs a session, a key is refused with 403
`session-required`.

## Pages

A list returns `results` and `next`. While `next` is not null there is another page: send it as
`cursor`, together with the same filters. `limit` is the most records on a page. Whatever is added
or deleted meanwhile, a walk through the pages meets each record that stays exactly once.
`Link: <...>; rel="next"` has the address of the next page.

## Sending a request again

`GET`, `PUT`, `PATCH` and `DELETE` may be sent again after a lost answer. For a `POST` that has
the parameter `Idempotency-Key`, choose a random key, such as a UUID, and send it with each
attempt: the request is carried out once, and for 24 hours the same request with the same key gets
the first answer again, with `Idempotent-Replayed: true`. While the first attempt is under way the
answer is 409 (`idempotency-in-progress`). A different request with the same key is refused with 422
(`idempotency-key-reused`).

With `If-Match` and the `ETag` of what was read, a change is refused with 412 if the resource has
changed since. `If-None-Match` saves a body: the answer is 304 while the client's copy is current.

## Errors

Every refusal is `application/problem+json` (RFC 9457). Programs go by `type`;
[/problems](/problems) explains each. `detail` is for developers. If a request is not valid,
`errors` lists everything that is wrong: where (`pointer` into the JSON, `parameter`, or `part` of a
form), a `code`, and what is allowed. `instance` and the header `X-Request-Id` identify the request
in the log of the service.

After 429, 503 and 409 `idempotency-in-progress`, wait as many seconds as `Retry-After` says, and
send the request again, with the same `Idempotency-Key` if it has one. After any other refusal, do
not send the same request again.

Members and query parameters that an operation does not know are ignored. With
`Prefer: handling=strict` (RFC 7240) they are refused. Use it while you write a client.

## Uploads

Forms are `multipart/form-data`. `POST /ads` takes the part `properties`, which is JSON, and one
part `image` for each picture, in their order. Pictures are JPEG, PNG or WebP by their content,
whatever their name or type. They are stored upright, without metadata, and reduced where they are
large. Each has a path of its own, whose content never changes. With `validate=true` a form or a
body is only validated: the answer is 204, or the refusal.

## Limits

Attempts to log in, registrations, changes, uploads and searches are limited by account or
network. `RateLimit-Policy` has the limit; `RateLimit` has the attempts that are left, and the
seconds until there is one more. Beyond the limit the answer is 429 with `Retry-After`.

## Versions

`info.version` of this document, `version` of `GET /site` and the header `Adsvc-Version` of every
answer are the same. A version removes only what was deprecated before. A deprecated operation has
`deprecated` here, and `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) in its answers, which say
when it may be removed.

Versions may add operations, members of answers, optional members and parameters, types of problems,
and **values of enumerations in answers**, which have `x-extensible-enum` here. So ignore members
that you do not know, and handle values that you do not know.
"""

CONTACT = {"name": "The operator of this installation"}
LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}

# For Swagger UI alone. Generated clients would send its token as well as that of `bearer`, and
# without `Bearer` before it.
PASSWORD_FLOW: Json = {
    "type": "oauth2",
    "description": "OAuth 2.0's password grant, which gets the token for `bearer`.",
    "flows": {"password": {"tokenUrl": "token", "refreshUrl": "token", "scopes": {}}},
}

SERVER = "The installation that this document comes from."

# What is sent to webhooks. An OpenAPI document has it beside its paths.
WEBHOOKS: Json = {
    "event": {
        "post": {
            "operationId": "receiveEvent",
            "tags": ["webhooks"],
            "summary": "Receive an event",
            "description": "Sent to the URL of each webhook with the event's type, and signed as "
            "[Standard Webhooks](https://www.standardwebhooks.com/) says. It may come twice, with "
            "the same `webhook-id`. A test has the type `webhook.test`.",
            "parameters": [
                {
                    "name": name,
                    "in": "header",
                    "required": True,
                    "description": description,
                    "schema": {"type": "string", "examples": [example]},
                }
                for name, description, example in (
                    (
                        "webhook-id",
                        "The same at each attempt.",
                        "msg_5f1d7a3cf3a24cb1a4a9f6b9",
                    ),
                    ("webhook-timestamp", "When it was sent, in seconds.", "1796040000"),
                    (
                        "webhook-signature",
                        "`v1,` and an HMAC-SHA256.",
                        "v1,K5oZfzN95Z9UVu1EsfQ=",
                    ),
                )
            ],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": reference("Event")}},
            },
            "responses": {
                "2XX": {"description": "Accepted, if the answer comes within 15 seconds"},
                "410": {"description": "The receiver is gone: the webhook is disabled"},
                "default": {"description": "The event is sent again later"},
            },
            "security": [],
        }
    }
}

# In the order in which the reference shows them.
TAGS = [
    {"name": name, "description": description}
    for name, description in {
        "auth": "Accounts and tokens: registration, login, refresh, logout.",
        "users": "The caller's own account: profile, sessions, keys, export.",
        "ads": "Ads: finding, posting and changing them, and their status.",
        "comments": "Comments on ads.",
        "categories": "The tree of categories, and their attributes.",
        "places": "Towns and postcodes, for ads and for searches near them.",
        "conversations": "What buyers and sellers write to each other about an ad, and offers.",
        "ratings": "Deals, and what their parties say of each other.",
        "moderation": "Reports, cases, decisions and appeals; accounts for administrators.",
        "events": "A log of what happened.",
        "webhooks": "Addresses that events are sent to.",
        "admin": "The site for its administrators: figures, audit trail, jobs, outbox.",
        "images": "The files of pictures.",
        "site": "The site: its name, currency and limits.",
        "health": "Checks for supervisors and load balancers.",
    }.items()
]


Records = set[type[BaseModel]]

# Members of an operation that come after its body.
BEHIND_A_BODY = ("responses", "security")

VALIDATE_PARAMETER: Json = {
    "name": VALIDATE,
    "in": "query",
    "required": False,
    "description": (
        "With `true` the request is only validated, and changes nothing: the answer is 204 if it "
        "would be accepted, otherwise the refusal with everything that is wrong. It counts towards "
        "the limits like any other."
    ),
    "schema": {"type": "boolean", "examples": [True]},
}


def _complete(operation: Json, endpoint: Endpoint, *, with_basic: bool) -> None:
    """What the endpoint declares, and FastAPI does not know."""
    responses = operation["responses"]
    # FastAPI documents its own 422 for invalid parameters; ours is 400.
    if "application/json" in responses.get("422", {}).get("content", {}):
        del responses["422"]
    if isinstance(endpoint.body, JsonBody):
        content = {"application/json": {"schema": reference(endpoint.body.record.__name__)}}
        behind = {name: operation.pop(name) for name in BEHIND_A_BODY if name in operation}
        body = {"content": content, "required": endpoint.body.required}
        operation |= {"requestBody": body, **behind}
    # An empty list says that no credentials are needed, so that clients need not send them.
    security = operation.setdefault("security", [])
    if isinstance(endpoint.requires, KeyScope):
        # A scope is a role, which OpenAPI 3.1 allows in the requirement of any security scheme.
        next(scheme for scheme in security if "bearer" in scheme)["bearer"] = [endpoint.requires]
        add_refusal(responses, errors.InsufficientScopeError)
    elif endpoint.requires is not None:
        add_refusal(responses, errors.SessionRequiredError)
    if with_basic and not endpoint.is_read:
        add_refusal(responses, errors.CrossSiteError)
    if not with_basic and {"basic": []} in security:
        # Clients try each listed scheme.
        security.remove({"basic": []})
    parameters = operation.get("parameters", [])
    if endpoint.body.validates:
        parameters.append(deepcopy(VALIDATE_PARAMETER))
    describe_headers(responses, parameters, endpoint)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.deprecation is not None:
        operation["deprecated"] = True
        operation["x-sunset"] = endpoint.deprecation.sunset.isoformat()


def _schemas(records: Records) -> Json:
    every: Records = {Problem, TokenError, CreateAd, *records}
    named = sorted(every, key=lambda record: record.__name__)
    modes: list[tuple[type[BaseModel], Literal["validation"]]]
    modes = [(record, "validation") for record in named]
    _, definitions = models_json_schema(
        modes,
        by_alias=True,
        ref_template=REFERENCE,
    )
    schemas: Json = definitions["$defs"]
    return schemas


def describe(app: FastAPI, settings: Settings) -> Json:
    """The whole document, with the limits and schemes of this installation."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        contact=CONTACT,
        license_info=LICENSE,
        servers=[{"url": settings.root_path or "/", "description": SERVER}],
        tags=TAGS,
        routes=app.routes,
    )
    document["webhooks"] = deepcopy(WEBHOOKS)
    document["externalDocs"] = {
        "description": "The interface: what it promises, and the reasons",
        # Clients expect an absolute address.
        "url": settings.link_base + settings.root_path + INTERFACE_PATH,
    }
    records = set()
    samples = json.loads(SAMPLES.read_text(encoding="utf-8"))
    for operation, endpoint in operations_with_routes(document, app.routes):
        _complete(operation, endpoint, with_basic=settings.http_basic)
        # A new operation has none until `make format` makes them.
        operation["x-codeSamples"] = samples.get(endpoint.operation_id, [])
        if isinstance(endpoint.body, JsonBody):
            records.add(endpoint.body.record)
    components = document["components"]
    if not settings.http_basic:
        components["securitySchemes"].pop("basic", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["schemas"] |= {**_schemas(records), **deepcopy(FORMS | RECORDS)}
    published: Json = publish_limits(document, settings)
    tidy_schemas(published)
    add_examples(published)
    share_headers(published)
    share_responses(published)
    share_parameters(published)
    return published


def with_password_flow(document: Json, root_path: str) -> Json:
    """For Swagger UI, which sends the token of a scheme only where that scheme is listed."""
    copy = deepcopy(document)
    scheme: Json = deepcopy(PASSWORD_FLOW)
    if root_path:
        # Swagger UI resolves a relative address against the host.
        address = f"{root_path}/token"
        scheme["flows"]["password"] |= {"tokenUrl": address, "refreshUrl": address}
    copy["components"]["securitySchemes"]["oauth2"] = scheme
    for *_, operation in operations(copy):
        if operation["security"]:
            operation["security"].append({"oauth2": []})
    return copy


# Of JSON Schema, and not of OpenAPI 3.0.
UNKNOWN_IN_3_0 = ("contentMediaType", "contentEncoding", "propertyNames", "patternProperties")
COMPONENTS = "#/components/"


def as_openapi_3_0(document: Json) -> Json:
    """Nullable types, single examples, and no scopes of keys; without `webhooks`."""
    rendered = deepcopy(document)
    rendered["openapi"] = "3.0.3"
    rendered.pop("webhooks", None)
    rendered["info"].pop("summary", None)
    rendered["info"]["license"].pop("identifier", None)
    for *_, operation in operations(rendered):
        operation["security"] = [{scheme: [] for scheme in one} for one in operation["security"]]
    components = rendered["components"]
    for name, schema in components["schemas"].items():
        components["schemas"][name] = _schema(schema)
    for part in ("paths", "components"):
        _render_schemas(rendered[part])
    return rendered


def _render_schemas(node: object) -> None:
    """Schemas of parameters, headers and bodies."""
    if isinstance(node, dict):
        if isinstance(node.get("schema"), dict):
            node["schema"] = _schema(node["schema"])
        for name, each in node.items():
            if name not in {"schema", "schemas", "example", "examples", "value"}:
                _render_schemas(each)
    elif isinstance(node, list):
        for each in node:
            _render_schemas(each)


def _schema(schema: Json) -> Json:
    found = _own_rules(schema)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in found:
            others = [each for each in found[several] if each.get("type") != "null"]
            if len(others) < len(found[several]):
                found["nullable"] = True
            found[several] = [_schema(each) for each in others]
    for single in ("items", "not", "additionalProperties"):
        if isinstance(found.get(single), dict):
            found[single] = _schema(found[single])
    if "properties" in found:
        members = found["properties"].items()
        found["properties"] = {name: _schema(member) for name, member in members}
    return found


def _own_rules(schema: Json) -> Json:
    """Without the schemas within it."""
    found = {name: value for name, value in schema.items() if name not in UNKNOWN_IN_3_0}
    if "$ref" in found and len(found) > 1:
        # Beside a reference nothing counts.
        found["allOf"] = [{"$ref": found.pop("$ref")}]
    if isinstance(found.get("type"), list):
        types = [each for each in found["type"] if each != "null"]
        found |= {"type": types[0], "nullable": len(types) < len(found["type"])}
    if "const" in found:
        found["enum"] = [found.pop("const")]
    if isinstance(found.get("examples"), list):
        found["example"] = found.pop("examples")[0]
    for bound in ("Minimum", "Maximum"):
        if f"exclusive{bound}" in found:
            found[bound.lower()] = found[f"exclusive{bound}"]
            found[f"exclusive{bound}"] = True
    return found


def postman_collection(document: Json) -> Json:
    """Postman's format 2.1: a folder for each tag; a token and the address are variables."""
    folders: dict[str, list[Json]] = {tag["name"]: [] for tag in document["tags"]}
    for method, path, operation in operations(document):
        folders[operation["tags"][0]].append(_request(document, path, method, operation))
    return {
        "info": {
            "name": document["info"]["title"],
            "description": document["info"]["summary"],
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
        "variable": [
            {"key": "baseUrl", "value": "http://127.0.0.1:8080"},
            {"key": "token", "value": ""},
        ],
        "item": [{"name": name, "item": items} for name, items in folders.items() if items],
    }


def _request(document: Json, path: str, method: str, operation: Json) -> Json:
    parameters = [_resolved(document, each) for each in operation.get("parameters", ())]
    segments = [
        f":{each[1:-1]}" if each.startswith("{") else each for each in path.strip("/").split("/")
    ]
    query = [_parameter(each) for each in parameters if each["in"] == "query"]
    url = {
        "raw": "{{baseUrl}}/" + "/".join(segments),
        "host": ["{{baseUrl}}"],
        "path": segments,
        # Optional ones are listed, and not sent.
        "query": [{**each, "disabled": not each.pop("required")} for each in query],
        "variable": [_parameter(each) for each in parameters if each["in"] == "path"],
    }
    request: Json = {"method": method.upper(), "url": url, "description": operation["description"]}
    if not operation["security"]:
        request["auth"] = {"type": "noauth"}
    if "requestBody" in operation:
        content = _resolved(document, operation["requestBody"])["content"]
        kind = "application/json" if "application/json" in content else next(iter(content))
        request["header"] = [{"key": "Content-Type", "value": kind}]
        request["body"] = _body(document, kind, content[kind])
    return {"name": operation["summary"], "request": request}


def _parameter(parameter: Json) -> Json:
    examples = parameter["schema"].get("examples") or [""]
    value = examples[0][0] if isinstance(examples[0], list) else examples[0]
    return {
        "key": parameter["name"],
        "value": str(value),
        "description": parameter.get("description", ""),
        "required": parameter.get("required", False),
    }


def _body(document: Json, kind: str, media: Json) -> Json:
    examples = media.get("examples", {}).values()
    example: Any = next((_resolved(document, each)["value"] for each in examples), {})
    if kind == "application/json":
        raw = json.dumps(example, ensure_ascii=False, indent=2)
        return {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}
    if kind == "application/x-www-form-urlencoded":
        pairs = [{"key": name, "value": str(value)} for name, value in example.items()]
        return {"mode": "urlencoded", "urlencoded": pairs}
    if kind != "multipart/form-data":
        return {"mode": "file", "file": {}}
    schema = _resolved(document, media["schema"])
    return {
        "mode": "formdata",
        "formdata": [
            {"key": name, "type": "text", "value": json.dumps(example[name], ensure_ascii=False)}
            if isinstance(example.get(name), dict)
            else {"key": name, "type": "file", "src": []}
            for name in schema["properties"]
        ],
    }


def _resolved(document: Json, node: Json) -> Json:
    while "$ref" in node:
        kind, name = node["$ref"].removeprefix(COMPONENTS).split("/")
        node = document["components"][kind][name]
    return node
