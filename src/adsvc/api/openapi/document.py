"""The OpenAPI document: FastAPI's draft, and what it cannot know or writes otherwise."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Literal

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.routing import BaseRoute

from adsvc.api.dependencies.bodies import JsonRecord, takes_validate
from adsvc.api.dependencies.strictness import may_be_strict
from adsvc.api.deprecation import DeprecatedRoute
from adsvc.api.input.parameters import VALIDATE
from adsvc.api.openapi.components import share_parameters, share_responses
from adsvc.api.openapi.examples import add_examples
from adsvc.api.openapi.forms import FORMS
from adsvc.api.openapi.headers import describe_headers
from adsvc.api.openapi.information import (
    CONTACT,
    INTERFACE_PATH,
    LICENSE,
    PASSWORD_FLOW,
    SERVERS,
    TAGS,
)
from adsvc.api.openapi.responses import RECORDS
from adsvc.api.openapi.routes import operations_with_routes
from adsvc.api.openapi.samples import add_samples
from adsvc.api.openapi.schemas import REFERENCE, Json, operations, reference, tidy_schemas
from adsvc.api.problems.documentation import add_refusal, protocol_refusals, refusals
from adsvc.errors import CrossSiteError, DiskNearlyFullError, InvalidRequestError
from adsvc.schemas.accounts.auth import TokenError
from adsvc.schemas.ads.ad import CreateAd
from adsvc.schemas.problem import Problem
from adsvc.schemas.published import publish_limits
from adsvc.settings import Settings

Records = set[type[BaseModel]]

# In the order of the members of an operation.
BEHIND_A_BODY = ("responses", "security")

VALIDATE_PARAMETER: Json = {
    "name": VALIDATE,
    "in": "query",
    "required": False,
    "description": (
        "With `true` the request is judged only: 204 if it would be accepted, else what would "
        "be refused, all at once. Nothing is stored; limits count it as any other."
    ),
    "schema": {"type": "boolean", "examples": [True]},
}

ACCEPTABLE = "With `validate=true`: it would be accepted"


def _body_of(dependant: Dependant) -> JsonRecord[BaseModel] | None:
    """What says which record an operation's JSON body has to be, if it takes one."""
    call: object = dependant.call
    if isinstance(call, JsonRecord):
        return call
    return next(filter(None, map(_body_of, dependant.dependencies)), None)


def _add_bodies(document: Json, routes: Sequence[BaseRoute]) -> Records:
    """Where FastAPI would have put them; the records that they are."""
    records: Records = set()
    for operation, route in operations_with_routes(document, routes):
        body = _body_of(route.dependant)
        if body is None:
            continue
        records.add(body.record)
        if body.adds_text:
            add_refusal(operation["responses"], DiskNearlyFullError)
        content = {"application/json": {"schema": reference(body.record.__name__)}}
        behind = {name: operation.pop(name) for name in BEHIND_A_BODY if name in operation}
        operation |= {"requestBody": {"content": content, "required": body.required}, **behind}
    return records


def _tell_of_validation(document: Json, routes: Sequence[BaseRoute]) -> None:
    for operation, route in operations_with_routes(document, routes):
        if takes_validate(route.dependant):
            operation.setdefault("parameters", []).append(deepcopy(VALIDATE_PARAMETER))
            operation["responses"]["204"] = {"description": ACCEPTABLE}


def _tell_of_strictness(document: Json, routes: Sequence[BaseRoute]) -> None:
    for operation, route in operations_with_routes(document, routes):
        if may_be_strict(route):
            operation["responses"].setdefault("400", refusals(InvalidRequestError)[400])


def _mark_deprecated(document: Json, routes: Sequence[BaseRoute]) -> None:
    for operation, route in operations_with_routes(document, routes):
        if isinstance(route, DeprecatedRoute):
            successor = route.deprecation.successor
            operation["deprecated"] = True
            operation["x-sunset"] = route.deprecation.sunset.isoformat()
            operation["description"] += f"\n\nDeprecated: `{successor}` does the same."


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


def _tidy(document: Json, records: Records) -> None:
    for *_, operation in operations(document):
        # FastAPI announces its own answer to bad parameters; ours is 400.
        if "application/json" in operation["responses"].get("422", {}).get("content", {}):
            del operation["responses"]["422"]
        # What needs no credentials says so: a client that has some need not send them.
        operation.setdefault("security", [])
        operation["responses"] |= protocol_refusals(with_body="requestBody" in operation)
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas.update(_schemas(records))
    schemas.update(deepcopy(FORMS | RECORDS))


def _leave_basic_out(document: Json) -> None:
    """A scheme that is listed is tried."""
    document["components"]["securitySchemes"].pop("basic", None)
    for *_, operation in operations(document):
        if {"basic": []} in operation["security"]:
            operation["security"].remove({"basic": []})


def _tell_of_cross_site_refusals(document: Json) -> None:
    for method, _, operation in operations(document):
        if method == "get":
            continue
        refusal = refusals(CrossSiteError)[403]
        known = operation["responses"].get("403")
        if known is not None:
            refusal["description"] = f"{known['description']} / {refusal['description']}"
            for kind, content in known["content"].items():
                refusal["content"][kind]["examples"] |= content["examples"]
        operation["responses"]["403"] = refusal


def describe(app: FastAPI, settings: Settings) -> Json:
    """The whole document, with the limits and the ways to log in that are in force."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        contact=CONTACT,
        license_info=LICENSE,
        servers=SERVERS,
        tags=TAGS,
        routes=app.routes,
    )
    document["externalDocs"] = {
        "description": "The interface: what it promises, and the reasons",
        # Readers want a whole address.
        "url": settings.link_base + INTERFACE_PATH,
    }
    _tidy(document, _add_bodies(document, app.routes))
    _tell_of_validation(document, app.routes)
    _tell_of_strictness(document, app.routes)
    _mark_deprecated(document, app.routes)
    if settings.http_basic:
        _tell_of_cross_site_refusals(document)
    else:
        _leave_basic_out(document)
    published: Json = publish_limits(document, settings)
    tidy_schemas(published)
    add_examples(published)
    describe_headers(published, app.routes)
    share_responses(published)
    share_parameters(published)
    add_samples(published)
    return published


def with_password_flow(document: Json) -> Json:
    """For Swagger UI, which sends the token it got by a scheme only where that is listed."""
    copy = deepcopy(document)
    copy["components"]["securitySchemes"]["oauth2"] = deepcopy(PASSWORD_FLOW)
    for *_, operation in operations(copy):
        if operation["security"]:
            operation["security"].append({"oauth2": []})
    return copy
