"""Unknown parameters and members, which a client can have refused.

It does so by `Prefer: handling=strict` (RFC 7240 §4.4). The members of bodies are checked where
bodies are read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import VALIDATE, refuse_unknown_parameters
from adsvc.http.responses import prefers_strict

APPLIED = "is_strict"

# RFC 6749 §3.2 requires OAuth's endpoints to ignore unknown parameters. Probes have no clients.
NEVER_STRICT = frozenset({"/token", "/revoke", "/livez", "/readyz"})


@dataclass(frozen=True, slots=True)
class Strict:
    """An operation. The code that makes the answer's head reads `APPLIED` in its state."""

    perform: ASGIApp
    methods: frozenset[str]
    parameters: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in self.methods and prefers_strict(scope["headers"]):
            scope["state"][APPLIED] = True
            refuse_unknown_parameters(scope, self.parameters)
        await self.perform(scope, receive, send)


def may_be_strict(route: APIRoute) -> bool:
    return route.include_in_schema and route.path_format not in NEVER_STRICT


def heed_strictness(routes: Sequence[BaseRoute]) -> None:
    """Wraps the routes that are in the OpenAPI document."""
    for context in iter_route_contexts(routes):
        route = context.original_route
        if not isinstance(route, APIRoute) or not may_be_strict(route):
            continue
        # Every application of a process shares the routers, so wrap each route once.
        if not isinstance(route.handle, Strict):
            parameters = frozenset(_parameters(route))
            strict = Strict(route.handle, frozenset(route.methods or ()), parameters)
            route.handle = strict  # type: ignore[method-assign]


def takes_validate(route: APIRoute) -> bool:
    """Whether an operation has the parameter `validate`."""
    return isinstance(route.endpoint, Operation) and route.endpoint.body.validates


def _parameters(route: APIRoute) -> Iterator[str]:
    yield from _declared(route.dependant)
    if takes_validate(route):
        yield VALIDATE


def _declared(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from (of.alias or name for name, of in annotation.model_fields.items())
        else:
            yield field.alias
    for other in dependant.dependencies:
        yield from _declared(other)
