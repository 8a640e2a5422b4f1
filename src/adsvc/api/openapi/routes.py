"""Which route each operation of the document is of."""

from collections.abc import Iterator, Sequence

from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import BaseRoute

from adsvc.api.openapi.schemas import Json


def operations_with_routes(
    document: Json, routes: Sequence[BaseRoute]
) -> Iterator[tuple[Json, APIRoute]]:
    for context in iter_route_contexts(routes):
        route = context.original_route
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in context.methods or ():
                yield document["paths"][context.path_format][method.lower()], route
