"""What one process opens at start and closes at its end."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from adsvc.api.caching import ReadResponse, ResponseCache
from adsvc.api.input.parameters import (
    Cursors,
    encode_personal_cursor,
    encode_search_cursor,
    encoded_event,
)
from adsvc.invalidation import new_bus
from adsvc.kit.bulkheads.admission import Admission, Bulkhead, LocalBuckets, Shares
from adsvc.kit.bulkheads.pools import ProcessPool, ThreadPool
from adsvc.kit.bulkheads.uploads import DiskReserve, Uploads
from adsvc.kit.counters import SearchCounts, WorkCounts
from adsvc.kit.db.database import Database
from adsvc.kit.db.statements import SLOT_SECONDS
from adsvc.kit.process.setup import room
from adsvc.kit.security.factors import Challenges
from adsvc.kit.security.tokens import AccessTokens, TokenCache, UnknownKeys
from adsvc.kit.storage import ImageStore, open_store
from adsvc.repositories.ads.search import repository as postgres
from adsvc.repositories.ads.search.backend import SearchBackend
from adsvc.services.accounts.credentials import Credentials, common_passwords
from adsvc.services.accounts.export import Exports
from adsvc.services.accounts.identities import ProviderLogins
from adsvc.services.accounts.users import TermsCheck
from adsvc.services.categories.reading import CategoryMemory
from adsvc.services.console import Curves
from adsvc.services.events import EventFeed, Streams
from adsvc.services.images import picture_pool
from adsvc.services.installation import Ownership
from adsvc.services.maintenance import OperatorState
from adsvc.services.notifications import SiteKeys
from adsvc.services.personal_stream import PersonalFeed, SearchFeed
from adsvc.services.rate_limits import AdReads, TextQuota
from adsvc.services.readiness import Readiness, disk_reserves
from adsvc.services.site import SiteState
from adsvc.services.suggestions import VocabularyCache
from adsvc.settings import RateLimits, Settings


@dataclass(slots=True)
class Documents:
    """The OpenAPI document and what is made of it, by path. Written at the first request, and again
    when the site has changed.
    """

    answers: Mapping[str, ReadResponse] = field(default_factory=dict)
    site_version: int = 0
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True)
class AppState:
    settings: Settings
    database: Database
    store: ImageStore
    password_pool: ThreadPool
    feed_pool: ThreadPool
    credentials: Credentials
    tokens: AccessTokens
    challenges: Challenges
    provider_logins: ProviderLogins
    unknown_keys: UnknownKeys
    cursors: Cursors
    image_pool: ProcessPool
    # What answers searches.
    search: SearchBackend
    searches: Bulkhead
    # Of searches on which nothing matches, which take several times as long.
    relaxations: Bulkhead
    # What accounts change, whom they write to, and what they read of their own.
    changes: Admission
    receivers: Admission
    reads: Admission
    long_reads: Admission
    buckets: LocalBuckets
    responses: ResponseCache
    token_cache: TokenCache
    readiness: Readiness
    curves: Curves
    operator: OperatorState
    site: SiteState
    terms: TermsCheck
    ad_reads: AdReads
    categories: CategoryMemory
    vocabularies: VocabularyCache
    uploads: Uploads
    text_reserve: DiskReserve
    text_quota: TextQuota
    exports: Exports
    site_keys: SiteKeys
    streams: Streams
    events: EventFeed
    personal: PersonalFeed
    search_feed: SearchFeed
    documents: Documents
    # Set even where other processes do this work.
    work_counts: WorkCounts


# One account waits for itself: its changes lock the same rows, one after another. With more of them
# at once, each would hold a connection meanwhile.
CHANGES_PER_ACCOUNT = 3
# Of lists that are long and only its own; of all reads one more.
READS_PER_ACCOUNT = 2
# Feeds that wait to be read. All of their bytes are in memory.
FEED_QUEUE = 8


def _shares(settings: Settings) -> Mapping[str, Shares]:
    """The shares of clients, by what they are of; none if limits are off."""
    if settings.rate_limits is RateLimits.OFF:
        return {}
    passwords = settings.password_workers + settings.password_queue
    of_passwords = settings.passwords_per_network
    pictures = max(1, (settings.image_workers + settings.image_queue) * 4 // 5)
    searches = max(1, (settings.search_workers + settings.search_queue) // 2)
    connections = settings.database_pool_size // 3
    changes, reads = (
        max(1, min(most, connections)) for most in (CHANGES_PER_ACCOUNT, READS_PER_ACCOUNT)
    )
    shares = (
        # A network, however wide, leaves half of the pool to others.
        Shares(
            "passwords",
            account=settings.passwords_per_account,
            network=of_passwords,
            wider=min(of_passwords * settings.login_network_factor, passwords // 2),
        ),
        # The pool itself bounds an account's share.
        Shares("pictures", network=pictures, wider=pictures),
        Shares("searches", network=searches, wider=searches),
        Shares("changes-at-once", account=changes),
        Shares("receiver-at-once", account=changes),
        Shares("reads-at-once", account=reads),
        Shares("all-reads-at-once", account=reads + 1),
        Shares("feeds", account=1),
    )
    return {share.policy: share for share in shares}


async def _search_backend(
    settings: Settings, counts: SearchCounts, stack: AsyncExitStack
) -> SearchBackend:
    if not settings.search_nodes:
        return postgres
    # It takes memory.
    from adsvc.repositories.ads.opensearch.backend import SEARCH_SECONDS, OpenSearch  # noqa: PLC0415
    from adsvc.repositories.ads.opensearch.cluster import SearchCluster  # noqa: PLC0415

    cluster = SearchCluster(settings.search_nodes, seconds=SEARCH_SECONDS)
    stack.push_async_callback(cluster.close)
    return OpenSearch(cluster, counts)


@asynccontextmanager
async def running(*loops: Coroutine[None, None, None]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(loop) for loop in loops]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


@asynccontextmanager
async def open_app_state(settings: Settings) -> AsyncIterator[AppState]:
    secrets = settings.jwt_secrets()
    # Reading the list takes longer than many requests do, so it is read before the first one.
    await asyncio.to_thread(common_passwords)
    store = open_store(settings)
    store.prepare()
    pictures, texts = disk_reserves(settings, store)
    shares = _shares(settings)
    async with AsyncExitStack() as stack:
        database = Database.of(settings, new_bus(), pool_size=settings.database_pool_size)
        stack.push_async_callback(database.close)
        database.listen()
        password_pool = ThreadPool(
            "passwords",
            workers=settings.password_workers,
            queue=settings.password_queue,
            shares=shares.get("passwords"),
        )
        stack.callback(password_pool.close)
        # Threads that run Python delay the event loop: one at a time.
        feed_pool = ThreadPool("feeds", workers=1, queue=FEED_QUEUE, shares=shares.get("feeds"))
        stack.callback(feed_pool.close)
        image_pool = picture_pool(
            settings, queue=settings.image_queue, shares=shares.get("pictures")
        )
        stack.push_async_callback(image_pool.close)
        ownership = Ownership(database, store)
        await ownership.start()
        cursors = Cursors(*secrets)
        connections = min(settings.connections, room(settings.database_connections))
        streams = Streams(max(1, connections // 2))
        events = EventFeed(database, streams, partial(encoded_event, cursors))
        personal = PersonalFeed(database, streams, partial(encode_personal_cursor, cursors))
        search_feed = SearchFeed(database, streams, partial(encode_search_cursor, cursors))
        counts = WorkCounts()
        search = await _search_backend(settings, counts.searches, stack)
        operator = OperatorState(database, settings)
        await operator.look()
        followers = (streams.run(), events.run(), personal.run(), search_feed.run())
        background = (*followers, ownership.watch(), operator.watch())
        await stack.enter_async_context(running(*background))
        yield AppState(
            settings=settings,
            database=database,
            store=store,
            password_pool=password_pool,
            feed_pool=feed_pool,
            credentials=Credentials(database, settings, password_pool),
            tokens=AccessTokens(
                *secrets,
                issuer=settings.jwt_issuer,
                audience=settings.jwt_audience,
                lifetime=settings.access_token_seconds,
            ),
            challenges=Challenges(*secrets),
            provider_logins=ProviderLogins(settings),
            unknown_keys=UnknownKeys(database.changes),
            cursors=cursors,
            image_pool=image_pool,
            search=search,
            searches=Bulkhead(
                workers=settings.search_workers,
                queue=settings.search_queue,
                queue_timeout=SLOT_SECONDS,
                shares=shares.get("searches"),
            ),
            relaxations=Bulkhead(
                workers=max(1, settings.search_workers // 2),
                queue=settings.search_queue,
                queue_timeout=SLOT_SECONDS,
                shares=shares.get("searches"),
            ),
            changes=Admission(settings.busy_requests, shares.get("changes-at-once")),
            receivers=Admission(settings.busy_requests, shares.get("receiver-at-once")),
            reads=Admission(settings.connections, shares.get("all-reads-at-once")),
            long_reads=Admission(settings.busy_requests, shares.get("reads-at-once")),
            buckets=LocalBuckets(),
            responses=ResponseCache(database.changes, capacity=settings.answers_max_bytes),
            token_cache=TokenCache(database.changes, enabled=settings.answers_max_bytes > 0),
            ad_reads=AdReads(database, settings),
            categories=CategoryMemory(database),
            vocabularies=VocabularyCache(database),
            operator=operator,
            site=operator.site,
            terms=TermsCheck(database, settings),
            readiness=Readiness(database, store, pictures=pictures, texts=texts),
            curves=Curves(database),
            uploads=Uploads(
                pictures,
                per_user=settings.uploads_under_way_per_user,
                max_bytes=settings.uploads_under_way_max_bytes,
            ),
            text_reserve=texts,
            text_quota=TextQuota(database, settings),
            exports=Exports(database),
            site_keys=SiteKeys(database),
            streams=streams,
            events=events,
            personal=personal,
            search_feed=search_feed,
            documents=Documents(),
            work_counts=counts,
        )
