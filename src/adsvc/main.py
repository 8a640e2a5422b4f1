"""The application: what is opened, what surrounds requests, and what answers them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from adsvc import __version__, logging
from adsvc.api import contract, errors
from adsvc.api.middleware import (
    Cors,
    ErrorBoundary,
    HeadAsGet,
    LoadShedding,
    RequestContext,
)
from adsvc.api.resources import open_resources
from adsvc.api.routers import ads, auth, comments, docs, health, images, problems, users
from adsvc.settings import Settings, load_settings

CORS_METHODS = ("GET", "POST", "PATCH", "DELETE")
CORS_REQUEST_HEADERS = (
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    # Two that a known client sends, for no purpose.
    "method",
    "type",
)
CORS_RESPONSE_HEADERS = (
    "etag",
    "link",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "x-request-id",
)


def create_app(settings: Settings) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_resources(settings) as resources:
            app.state.resources = resources
            yield

    app = FastAPI(
        title="adsvc",
        version=__version__,
        summary="A classified-ads service.",
        description=contract.DESCRIPTION,
        lifespan=lifespan,
        openapi_url=docs.OPENAPI_PATH,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for router in (auth, users, ads, comments, images, health, problems, docs):
        app.include_router(router.router)
    app.mount(docs.ASSETS_PATH, docs.assets)
    errors.add_handlers(app)
    # The last one added is the outermost.
    app.add_middleware(HeadAsGet)
    app.add_middleware(ErrorBoundary)
    app.add_middleware(LoadShedding, capacity=settings.busy_requests)
    app.add_middleware(
        Cors,
        allow_origins=settings.cors_origins,
        allow_methods=CORS_METHODS,
        allow_headers=CORS_REQUEST_HEADERS,
        expose_headers=CORS_RESPONSE_HEADERS,
        allow_credentials=True,
    )
    app.add_middleware(RequestContext)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))
    document = contract.describe(app, settings)
    app.openapi = lambda: document  # type: ignore[method-assign]
    return app


def create_app_from_environment() -> FastAPI:
    """What each worker process runs."""
    settings = load_settings()
    logging.configure(settings.log_format)
    return create_app(settings)
