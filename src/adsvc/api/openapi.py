"""The OpenAPI document: what FastAPI cannot know because it does not read bodies."""

from collections.abc import Sequence
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.routing import BaseRoute

from adsvc.api.dependencies.bodies import JsonRecord
from adsvc.api.problems.documentation import refusals
from adsvc.errors import CrossSiteError
from adsvc.schemas.ads.ad import CreateOrUpdateAd
from adsvc.schemas.auth import TokenError
from adsvc.schemas.fields import PLACEHOLDER
from adsvc.schemas.problem import Problem
from adsvc.schemas.published import publish_limits
from adsvc.settings import Settings

Records = set[type[BaseModel]]

REFERENCE = "#/components/schemas/{model}"

# In the order of the members of an operation.
BEHIND_A_BODY = ("responses", "security")

IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp")

DESCRIPTION = """
People register, log in, post ads with a picture, browse, search, comment, edit and delete; an
administrator may change and delete what others posted.

Every refusal is `application/problem+json` (RFC 9457); [/problems](/problems) explains each type.
Every response carries `X-Request-Id`. Every `GET` also answers `HEAD`.
"""


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=model.__name__)}


def _form(properties: dict[str, Any], encoding: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "required": list(properties), "properties": properties}
    content = {"multipart/form-data": {"schema": schema, "encoding": encoding}}
    return {"requestBody": {"required": True, "content": content}}


def form_request(*, required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    """A form-encoded body, as OAuth 2.0 has them."""
    schema = {"type": "object", "required": required, "properties": properties}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}


def token_responses() -> dict[int | str, dict[str, Any]]:
    content = {"application/json": {"schema": _reference(TokenError)}}
    return {400: {"description": "Refused as RFC 6749 §5.2 says", "content": content}}


IMAGE_PART = {
    "type": "string",
    "format": "binary",
    "contentMediaType": "application/octet-stream",
    "description": "JPEG, PNG or WebP, judged by content.",
}

IMAGE_ENCODING = {"image": {"contentType": ", ".join(IMAGE_TYPES)}}


IMAGES_PART = {
    "type": "array",
    "items": IMAGE_PART,
    "description": "One part of this name for each picture, in their order.",
    PLACEHOLDER: "ad_images",
}


def image_form() -> dict[str, Any]:
    return _form({"image": IMAGE_PART}, IMAGE_ENCODING)


def images_form() -> dict[str, Any]:
    return _form({"image": IMAGES_PART}, IMAGE_ENCODING)


def ad_form() -> dict[str, Any]:
    properties = {
        "allOf": [_reference(CreateOrUpdateAd)],
        "properties": {
            "status": {
                "type": "string",
                "enum": ["active", "draft"],
                "description": "A draft is shown to its author only, until it is published.",
                "examples": ["active"],
            }
        },
        "required": ["title", "price", "description"],
        "description": "JSON, as a text part or as a part of type application/json.",
    }
    encoding = {"properties": {"contentType": "application/json"}, **IMAGE_ENCODING}
    return _form({"properties": properties, "image": IMAGES_PART}, encoding)


def answer_responses() -> dict[int | str, dict[str, Any]]:
    """Of operations whose answers have a validator."""
    etag = {"ETag": {"schema": {"type": "string"}}}
    return {
        200: {"headers": etag},
        304: {"description": "The client's copy is current", "headers": etag},
    }


def image_responses(*, ranges: bool = False) -> dict[int | str, dict[str, Any]]:
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in IMAGE_TYPES}
    responses: dict[int | str, dict[str, Any]] = {
        200: {"description": "The picture", "content": content}
    }
    if ranges:
        responses[206] = {"description": "The part asked for", "content": content}
        responses[304] = {"description": "The client's copy is current"}
    return responses


def _body_of(dependant: Dependant) -> JsonRecord[BaseModel] | None:
    """What says which record an operation's JSON body has to be, if it takes one."""
    call: object = dependant.call
    if isinstance(call, JsonRecord):
        return call
    return next(filter(None, map(_body_of, dependant.dependencies)), None)


def _add_bodies(document: dict[str, Any], routes: Sequence[BaseRoute]) -> Records:
    """Where FastAPI would have put them; the records that they are."""
    records: Records = set()
    for context in iter_route_contexts(routes):
        route = context.original_route
        body = _body_of(route.dependant) if isinstance(route, APIRoute) else None
        if body is None:
            continue
        records.add(body.record)
        content = {"application/json": {"schema": _reference(body.record)}}
        for method in context.methods or ():
            operation = document["paths"][context.path_format][method.lower()]
            behind = {name: operation.pop(name) for name in BEHIND_A_BODY if name in operation}
            operation |= {"requestBody": {"content": content, "required": body.required}, **behind}
    return records


def _schemas(records: Records) -> dict[str, Any]:
    every: Records = {Problem, TokenError, *records}
    named = sorted(every, key=lambda record: record.__name__)
    modes: list[tuple[type[BaseModel], Literal["validation"]]]
    modes = [(record, "validation") for record in named]
    _, definitions = models_json_schema(
        modes,
        by_alias=True,
        ref_template=REFERENCE,
    )
    schemas: dict[str, Any] = definitions["$defs"]
    return schemas


def _tidy(document: dict[str, Any], records: Records) -> None:
    for operations in document["paths"].values():
        for operation in operations.values():
            # FastAPI announces its own answer to bad parameters; ours is 400.
            operation["responses"].pop("422", None)
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas.update(_schemas(records))
    document["components"]["schemas"] = dict(sorted(schemas.items()))


def _leave_basic_out(document: dict[str, Any]) -> None:
    """A scheme that is listed is tried."""
    document["components"]["securitySchemes"].pop("basic", None)
    for operations in document["paths"].values():
        for operation in operations.values():
            if "security" in operation:
                operation["security"].remove({"basic": []})


def _tell_of_cross_site_refusals(document: dict[str, Any]) -> None:
    for operations in document["paths"].values():
        for method, operation in operations.items():
            if method == "get":
                continue
            refusal = refusals(CrossSiteError)[403]
            known = operation["responses"].get("403")
            if known is not None:
                refusal["description"] = f"{known['description']} / {refusal['description']}"
                for kind, content in known["content"].items():
                    refusal["content"][kind]["examples"] |= content["examples"]
            operation["responses"]["403"] = refusal


def describe(app: FastAPI, settings: Settings) -> dict[str, Any]:
    """The whole document, with the limits and the ways to log in that are in force."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        routes=app.routes,
    )
    _tidy(document, _add_bodies(document, app.routes))
    if settings.http_basic:
        _tell_of_cross_site_refusals(document)
    else:
        _leave_basic_out(document)
    published: dict[str, Any] = publish_limits(document, settings)
    return published
