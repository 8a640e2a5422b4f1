"""The application: what is opened, what surrounds requests, and what answers them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from adsvc import __version__
from adsvc.api.app_state import open_app_state
from adsvc.api.dependencies.idempotency.attempts import AnsweredBefore, replay
from adsvc.api.fastpath.entry import Entry
from adsvc.api.fastpath.load_shedding import LoadShedding
from adsvc.api.fastpath.lookup import CacheLookup
from adsvc.api.fastpath.reads import FastReads
from adsvc.api.fastpath.responder import Responder
from adsvc.api.input.multipart import remove_left_files
from adsvc.api.middleware import CrossSite, ErrorBoundary, HeadAsGet, Preflights, RequestContext
from adsvc.api.openapi.document import describe
from adsvc.api.openapi.information import DESCRIPTION
from adsvc.api.problems import handlers
from adsvc.api.routers import (
    ad_images,
    ads,
    auth,
    categories,
    comments,
    images,
    lifecycle,
    sessions,
    users,
)
from adsvc.api.routers.about import discovery, docs, health, landing, problems, site
from adsvc.api.routers.storefront import add_page_of_nothing, storefront_router
from adsvc.api.storefront.pages import front_of
from adsvc.http.headers import ResponseHeaders
from adsvc.observability import logging
from adsvc.observability.access_log import AccessLog
from adsvc.process.orphans import ended_with_parent
from adsvc.process.workers import (
    give_large_blocks_back,
    keep_from_children,
    keep_from_peers,
    leave_what_is_there,
)
from adsvc.settings import Settings, load_settings


class Service(FastAPI):
    """FastAPI, with the fast path before its own outermost layers."""

    entrance: ASGIApp

    def add_fast_path(
        self, settings: Settings, decided: ResponseHeaders, access_log: AccessLog
    ) -> None:
        direct = Responder(decided, access_log, settings.trusted_networks)
        entry = Entry(
            app=super().__call__,
            hot=CacheLookup(self.state, direct),
            shedding=LoadShedding(capacity=settings.busy_requests, state=self.state, direct=direct),
            reads=FastReads(self.state, direct),
        )
        # uvicorn's types for ASGI are other ones than Starlette's.
        entrance: Any = entry
        if settings.trusted_proxies:
            entrance = ProxyHeadersMiddleware(entrance, settings.trusted_networks)
        self.entrance = entrance
        # The protocol calls it before it makes a task.
        self.immediate_response = entry.immediate_response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.entrance(scope, receive, send)


def create_app(settings: Settings) -> FastAPI:
    access_log = AccessLog(settings.log_format)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(remove_left_files)
        async with open_app_state(settings) as state, ended_with_parent():
            app.state.state = state
            yield
        access_log.flush()

    app = Service(
        title="adsvc",
        version=__version__,
        summary="A classified-ads service.",
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    routers = (
        *(auth, users, sessions, ads, lifecycle, ad_images, categories, comments, images),
        *(site, health, problems, docs, discovery),
    )
    for router in routers:
        app.include_router(router.router)
    front = front_of(settings)
    app.include_router(storefront_router(front) if front else landing.router)
    app.mount(docs.ASSETS_PATH, docs.assets)
    handlers.add_handlers(app)
    app.add_exception_handler(AnsweredBefore, replay)
    if front:
        add_page_of_nothing(app, front)
    origins = frozenset(settings.cors_origins)
    # The last one added is the outermost.
    app.add_middleware(HeadAsGet)
    if settings.http_basic:
        app.add_middleware(CrossSite, allow_origins=origins)
    app.add_middleware(ErrorBoundary)
    app.add_middleware(Preflights, allow_origins=origins)
    decided = ResponseHeaders(origins)
    app.add_middleware(RequestContext, decided=decided, access_log=access_log)
    app.add_fast_path(settings, decided, access_log)
    app.openapi = cache(partial(describe, app, settings))  # type: ignore[method-assign]
    return app


def create_app_from_environment() -> FastAPI:
    """What each worker process runs."""
    keep_from_children()
    keep_from_peers()
    give_large_blocks_back()
    settings = load_settings()
    logging.configure(settings.log_format)
    app = create_app(settings)
    leave_what_is_there()
    return app
