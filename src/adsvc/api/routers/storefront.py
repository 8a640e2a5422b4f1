"""The routes of the storefront."""

from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from starlette.routing import Route

from adsvc.api.app_state import AppState
from adsvc.api.storefront import crawlers, pages
from adsvc.api.storefront.files import HASHED
from adsvc.api.storefront.pages import Front, Page
from adsvc.errors import NotFoundError

# By the page that the app shows there. It decides on the status and on what search engines may do.
PAGES: tuple[tuple[str, Page], ...] = (
    ("/", pages.home),
    ("/a/{id}", pages.of_ad),
    ("/c/{slug}", pages.of_category),
    ("/search", pages.results),
    ("/seller/{id}", pages.of_seller),
    ("/setup", pages.set_up),
    *(
        (path, pages.private)
        for path in (
            *("/a/{id}/edit", "/post", "/my", "/my/{rest:path}", "/messages", "/messages/{id}"),
            *("/account", "/account/{rest:path}", "/console", "/console/{rest:path}"),
            *("/review", "/review/{rest:path}"),
            # Links in mails lead here. Programs for mail send the same address a POST (RFC 8058).
            "/unsubscribe",
        )
    ),
)

Answer = Callable[[Front, AppState, Request], Awaitable[Response]]

# Addresses whose refusals are problem documents.
OTHERS: tuple[tuple[str, Answer], ...] = (
    ("/ads.atom", crawlers.feed),
    ("/embed", crawlers.embed),
    ("/oembed", crawlers.oembed),
    ("/robots.txt", crawlers.robots),
    ("/sitemap.xml", crawlers.index),
    ("/sitemaps/{name}.xml", crawlers.part),
)

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def storefront_routes(front: Front) -> list[Route]:
    names = {*front.built, *front.branding.files}
    handlers = {
        **{path: _page(front, page) for path, page in PAGES},
        **{path: _answer(front, answer) for path, answer in OTHERS},
        "/admin": _moved,
        f"/{HASHED}{{name:path}}": _file(front),
        "/pages/{name}": _file(front),
        **{f"/{name}": _file(front) for name in names if not name.startswith(HASHED)},
    }
    return [Route(path, handler) for path, handler in handlers.items()]


def missing_page(front: Front) -> Callable[[Request], Awaitable[Response]]:
    """For a wrong address browsers get a page, and programs the problem."""

    async def show(request: Request) -> Response:
        return await pages.refused(front, request.app.state.service, request, NotFoundError())

    return show


def _page(front: Front, page: Page) -> Handler:
    async def show(request: Request) -> Response:
        state: AppState = request.app.state.service
        return await pages.shown(page, front, state, request)

    return show


async def _moved(request: Request) -> Response:
    """The console was at `/admin`, which is the interface's now."""
    part = "/accounts" if request.query_params.get("list") == "accounts" else ""
    status = HTTPStatus.PERMANENT_REDIRECT
    return Response(status_code=status, headers={"Location": f"/console{part}"})


def _answer(front: Front, answer: Answer) -> Handler:
    async def send(request: Request) -> Response:
        state: AppState = request.app.state.service
        if refusal := state.operator.refusal(is_change=False):
            raise refusal
        return await answer(await front.at(state), state, request)

    return send


def _file(front: Front) -> Handler:
    async def send(request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        return (await front.at(request.app.state.service)).file(name).to(request)

    return send
