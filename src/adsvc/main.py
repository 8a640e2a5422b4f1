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
from adsvc.api.app_state import open_app_state, running
from adsvc.api.input.multipart import remove_left_files
from adsvc.api.openapi.document import DESCRIPTION, describe
from adsvc.api.pipeline.app import Service
from adsvc.api.pipeline.dispatch import Responder
from adsvc.api.routers import (
    about,
    accounts,
    admin,
    ads,
    auth,
    categories,
    comments,
    conversations,
    deals,
    events,
    factors,
    following,
    identities,
    images,
    imports,
    moderation,
    notifications,
    places,
    site,
    users,
    webhooks,
)
from adsvc.api.routers.storefront import missing_page, storefront_routes
from adsvc.api.storefront.pages import Front, front_of
from adsvc.kit.counters import RequestCounts
from adsvc.kit.http.messages import ResponseHeaders
from adsvc.kit.observability import logging
from adsvc.kit.observability.logging import AccessLog
from adsvc.kit.observability.tracing import traced, tracing_from
from adsvc.kit.process.setup import (
    close_on_exec,
    disable_ptrace,
    ended_with_parent,
    freeze_gc,
    install_drain_signal,
    tune_malloc,
)
from adsvc.metrics.process import DIRECTORY_VARIABLE, publishing_service
from adsvc.services.views import Views
from adsvc.settings import Jobs, Settings, load_settings
from adsvc.worker.running import working
from adsvc.worker.sequencer import sequencing

if TYPE_CHECKING:
    from adsvc.kit.observability.opentelemetry import Tracing


# FastAPI's own telemetry would record texts of errors, if the environment switched it on.
NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def _access_log(
    settings: Settings, metrics_directory: str | None, tracing: "Tracing | None"
) -> AccessLog:
    requests = RequestCounts() if metrics_directory else None
    if tracing is None:
        return AccessLog(settings.log_format, requests, settings.log_access)
    from adsvc.kit.observability.opentelemetry import TracedAccessLog  # noqa: PLC0415 - an extra

    return TracedAccessLog(settings.log_format, requests, settings.log_access)


def _include_routes(app: Service, front: Front | None, *, is_development: bool) -> None:
    routers = (
        *(auth.router, users.router, auth.sessions_router, users.keys_router),
        *(
            factors.router,
            factors.passkeys_router,
            following.favorites_router,
            notifications.router,
        ),
        *(ads.router, ads.steps_router, images.of_ads_router),
        *(categories.router, comments.router, images.router),
        *(conversations.router, conversations.blocks_router),
        *(deals.own_router, deals.router, deals.ratings_router, deals.sellers_router),
        *(moderation.reports_router, moderation.messages_router, moderation.ratings_router),
        *(moderation.cases_router, moderation.statements_router, moderation.links_router),
        *(factors.login_router, accounts.router, events.router, events.personal_router),
        *(
            following.searches_router,
            imports.router,
            webhooks.SITE.router,
            webhooks.ACCOUNT.router,
            admin.router,
            site.router,
        ),
        *(identities.login_router, identities.router, identities.providers_router),
        *(users.sellers_router, images.moderated_router),
        *(auth.mail_router, auth.login_router, auth.password_router),
        notifications.links_router,
        *(conversations.ad_router, conversations.offers_router),
        *(places.router, about.site_router, about.health_router),
        *([admin.development_router] if is_development else []),
    )
    # `include_router` would build each route anew for each application. It is for routers that get
    # another prefix, other tags or dependencies; ours get none.
    for router in routers:
        app.routes.extend(router.routes)
    app.routes.extend([*about.routes, *identities.routes])
    app.routes.extend(storefront_routes(front) if front else [about.landing])


def create_app(
    settings: Settings, metrics_directory: str | None = None, tracing: "Tracing | None" = None
) -> FastAPI:
    """`metrics_directory` is the exporter's. Without it requests are not counted."""
    access_log = _access_log(settings, metrics_directory, tracing)
    views = Views(settings)

    @asynccontextmanager
    async def lifespan(app: Service) -> AsyncIterator[None]:
        await asyncio.to_thread(remove_left_files)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(traced(tracing))
            state = await stack.enter_async_context(open_app_state(settings))
            await stack.enter_async_context(ended_with_parent())
            app.state.service, app.state.views = state, views
            await stack.enter_async_context(running(views.keep_writing(state.database)))
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
                metrics_directory, state, app.fast_path, access_log.requests
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
    _include_routes(app, front, is_development=settings.development)
    response_headers = ResponseHeaders(frozenset(settings.cors_origins), settings.root_path)
    responder = Responder(response_headers, access_log, settings.trusted_networks, views)
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
    app = create_app(settings, os.environ.get(DIRECTORY_VARIABLE), tracing_from(os.environ))
    freeze_gc()
    return app
