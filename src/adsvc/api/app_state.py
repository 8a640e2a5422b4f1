"""What one process opens at start and closes at its end."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated

from fastapi import Depends, Request

from adsvc.api.caching.credential_cache import CredentialCache
from adsvc.api.caching.response_cache import ResponseCache
from adsvc.api.caching.token_cache import TokenCache
from adsvc.api.cursors import Cursors
from adsvc.bulkheads.admission import Bulkhead
from adsvc.bulkheads.allowances import Allowance
from adsvc.bulkheads.disk import DiskReserve
from adsvc.bulkheads.pools import ProcessPool, ThreadPool
from adsvc.bulkheads.uploads import Uploads
from adsvc.db.database import Database
from adsvc.db.read_pool import TURN_SECONDS
from adsvc.pictures.sandbox import confine
from adsvc.security.tokens import AccessTokens
from adsvc.services import installation
from adsvc.services.accounts.ad_reads import AdReads
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.accounts.passwords import common_passwords
from adsvc.services.ads.lifecycle import Expiries
from adsvc.services.categories.memory import CategoryMemory
from adsvc.services.cleaning import keep_clean
from adsvc.services.deletions import Deletions
from adsvc.services.readiness import Readiness
from adsvc.settings import RateLimits, Settings
from adsvc.storage import ImageStore, LocalImageStore


@dataclass(frozen=True, slots=True)
class AppState:
    settings: Settings
    database: Database
    store: ImageStore
    credentials: Credentials
    tokens: AccessTokens
    credential_cache: CredentialCache
    cursors: Cursors
    image_pool: ProcessPool
    searches: Bulkhead
    search_allowance: Allowance | None
    answers: ResponseCache
    callers: TokenCache
    readiness: Readiness
    ad_reads: AdReads
    categories: CategoryMemory
    uploads: Uploads


def _search_allowance(settings: Settings) -> Allowance | None:
    if settings.rate_limits is RateLimits.OFF:
        return None
    return Allowance(
        "search", limit=settings.searches_per_address, window=settings.search_window_seconds
    )


@asynccontextmanager
async def open_app_state(settings: Settings) -> AsyncIterator[AppState]:
    secret = settings.required_jwt_secret()
    # Reading the list takes as long as many requests; nobody should have to wait for it later.
    await asyncio.to_thread(common_passwords)
    store = LocalImageStore(settings.image_dir)
    store.prepare()
    reserve = DiskReserve(
        {
            "data directory": settings.data_dir,
            "image store": settings.image_dir,
            "directory for temporary files": Path(gettempdir()),
        },
        settings.disk_reserve_bytes,
    )
    database = Database(
        settings.required_database_url(),
        pool_size=settings.database_pool_size,
        timeout=settings.database_timeout_seconds,
    )
    password_pool = ThreadPool(
        "passwords", workers=settings.password_workers, queue=settings.password_queue
    )
    image_pool = ProcessPool(
        workers=settings.image_workers,
        queue=settings.image_queue,
        seconds=settings.image_seconds,
        prepare=(confine, (settings.image_memory_bytes, os.getpid())),
    )
    if settings.answers_max_bytes:
        database.listen()
    deletions = Deletions(database, store)
    expiries = Expiries(database)
    cleaning = asyncio.create_task(keep_clean(database, settings))
    try:
        await installation.bind_if_reachable(database, store)
        deletions.start()
        expiries.start()
        yield AppState(
            settings=settings,
            database=database,
            store=store,
            credentials=Credentials(database, settings, password_pool),
            tokens=AccessTokens(
                secret,
                issuer=settings.jwt_issuer,
                audience=settings.jwt_audience,
                lifetime=settings.access_token_seconds,
            ),
            credential_cache=CredentialCache(),
            cursors=Cursors(secret),
            image_pool=image_pool,
            searches=Bulkhead(
                workers=settings.search_workers,
                queue=settings.search_queue,
                patience=TURN_SECONDS,
            ),
            search_allowance=_search_allowance(settings),
            answers=ResponseCache(database.changes, capacity=settings.answers_max_bytes),
            callers=TokenCache(database.changes, enabled=settings.answers_max_bytes > 0),
            ad_reads=AdReads(database, settings),
            categories=CategoryMemory(database),
            readiness=Readiness(database, store, reserve),
            uploads=Uploads(
                reserve,
                per_user=settings.uploads_under_way_per_user,
                max_bytes=settings.uploads_under_way_max_bytes,
            ),
        )
    finally:
        await expiries.close()
        await deletions.close()
        cleaning.cancel()
        password_pool.close()
        await image_pool.close()
        await database.close()


async def get_app_state(request: Request) -> AppState:
    """Like all dependencies `async`, though it awaits nothing: others are run in threads."""
    state: AppState = request.app.state.state
    return state


AppStateDep = Annotated[AppState, Depends(get_app_state)]
