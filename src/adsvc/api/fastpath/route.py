"""How the framework knows the operations of the fast path."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from adsvc.api.fastpath.reads import OPERATIONS

Endpoint = Callable[..., Coroutine[Any, Any, None]]


class FastRoute(APIRoute):
    """One whose endpoint only documents the operation: nothing of its signature is solved.

    A request that comes here by an odd spelling of the path is answered as any other.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        perform = OPERATIONS[self.path_format]

        async def handle(request: Request) -> Response:
            answer = await perform(request.app.state.state, request.scope)
            response = answer.response.to(request)
            response.raw_headers += answer.told
            return response

        return handle


def fast_get(
    router: APIRouter,
    path: str,
    **options: Any,  # noqa: ANN401 - as `APIRouter.get`
) -> Callable[[Endpoint], Endpoint]:
    """As `router.get`, for an operation of the fast path."""

    def add(endpoint: Endpoint) -> Endpoint:
        router.add_api_route(
            path, endpoint, methods=["GET"], route_class_override=FastRoute, **options
        )
        return endpoint

    return add
