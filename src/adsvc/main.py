"""The application: its state, its middleware and its routes."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from adsvc import API_VERSION
from adsvc.api.app_state import open_app_state
from adsvc.api.input.multipart import remove_left_files
from adsvc.api.openapi.document import DESCRIPTION, describe
from adsvc.api.pipeline.app import Service
from adsvc.api.pipeline.cached import Responder
from adsvc.api.routers import (
    about,
    accounts,
    ad_images,
    admin,
    ads,
    auth,
    blocks,
    categories,
    comments,
    conversations,
    events,
    factors,
    favorites,
    images,
    keys,
    lifecycle,
    moderation,
    notifications,
    passkeys,
    places,
    recovery,
    searches,
    sessions,
    users,
    webhooks,
)
from adsvc.api.routers.storefront import missing_page, storefront_routes
from adsvc.api.storefront.pages import Front, front_of
from adsvc.http.responses import ResponseHeaders
from adsvc.measures import RequestCounts
from adsvc.metrics.process import SOCKET_VARIABLE
from adsvc.metrics.service import publishing_service
from adsvc.observability import logging
from adsvc.observability.logging import AccessLog
from adsvc.observability.tracing import traced, tracing_from
from adsvc.process.drain import ended_with_parent, install_drain_signal
from adsvc.process.setup import close_on_exec, disable_ptrace, freeze_gc, tune_malloc
from adsvc.settings import Jobs, Settings, load_settings
from adsvc.worker.running import working
from adsvc.worker.sequencer import sequencing

if TYPE_CHECKING:
    from adsvc.observability.opentelemetry import Tracing


# FastAPI's own telemetry would record texts of errors, if the environment switched it on.
NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def _access_log(
    settings: Settings, metrics_socket: str | None, tracing: "Tracing | None"
) -> AccessLog:
    requests = RequestCounts() if metrics_socket else None
    if tracing is None:
        return AccessLog(settings.log_format, requests, settings.log_access)
    from adsvc.observability.opentelemetry import TracedAccessLog  # noqa: PLC0415 - an extra

    return TracedAccessLog(settings.log_format, requests, settings.log_access)


def _include_routes(app: Service, front: Front | None) -> None:
    modules = (
        *(auth, users, sessions, keys, factors, passkeys, favorites, notifications),
        *(ads, lifecycle, ad_images, categories, comments, images),
        *(conversations, blocks),
    )
    routers = (
        *(module.router for module in modules),
        *(moderation.reports_router, moderation.messages_router),
        *(moderation.cases_router, moderation.statements_router, moderation.links_router),
        *(
            passkeys.login_router,
            accounts.router,
            events.router,
            events.personal_router,
            searches.router,
        ),
        *(webhooks.router, admin.router),
        *(users.sellers_router, images.moderated_router),
        *(recovery.mail_router, recovery.login_router, recovery.password_router),
        notifications.links_router,
        *(conversations.ad_router, conversations.offers_router),
        *(places.router, about.site_router, about.health_router),
    )
    # `include_router` would build each route anew for each application. It is for routers that get
    # another prefix, other tags or dependencies; ours get none.
    for router in routers:
        app.routes.extend(router.routes)
    app.routes.extend(about.routes)
    app.routes.extend(storefront_routes(front) if front else [about.landing])


def create_app(
    settings: Settings, metrics_socket: str | None = None, tracing: "Tracing | None" = None
) -> FastAPI:
    """`metrics_socket` is where the exporter listens. Without it requests are not counted."""
    access_log = _access_log(settings, metrics_socket, tracing)

    @asynccontextmanager
    async def lifespan(app: Service) -> AsyncIterator[None]:
        await asyncio.to_thread(remove_left_files)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(traced(tracing))
            state = await stack.enter_async_context(open_app_state(settings))
            await stack.enter_async_context(ended_with_parent())
            app.state.service = state
            election = sequencing(
                state.database,
                event_days=settings.event_days,
                counts=state.work_counts.sequencer,
            )
            await stack.enter_async_context(election)
            if settings.jobs is Jobs.ON:
                work = working(settings, state.database, state.store, state.work_counts)
                await stack.enter_async_context(work)
            publishing = publishing_service(
                metrics_socket, state, app.fast_path, access_log.requests
            )
            await stack.enter_async_context(publishing)
            yield
        access_log.flush()

    app = Service(
        title="adsvc",
        version=API_VERSION,
        summary="A classified-ads service.",
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Ours sees responses before the framework, and records nothing that clients sent.
        telemetry=NO_TELEMETRY,
    )
    front = front_of(settings)
    _include_routes(app, front)
    response_headers = ResponseHeaders(frozenset(settings.cors_origins), settings.root_path)
    responder = Responder(response_headers, access_log, settings.trusted_networks)
    app.add_pipeline(settings, responder, tracing, missing_page(front) if front else None)
    app.openapi = cache(partial(describe, app, settings))  # type: ignore[method-assign]
    return app


def create_app_from_environment() -> FastAPI:
    """The application of each server process."""
    install_drain_signal()
    close_on_exec()
    disable_ptrace()
    tune_malloc()
    settings = load_settings()
    logging.configure(settings.log_format)
    app = create_app(settings, os.environ.get(SOCKET_VARIABLE), tracing_from(os.environ))
    freeze_gc()
    return app
