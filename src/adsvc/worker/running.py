"""Runs the regular jobs, the outbox and the webhooks, in `adsvc serve` and `adsvc worker`.

Each job is run by one process at a time, and some once for all processes together. Only
`suspensions` runs in all of them: each skips the ads that another one has locked.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass

from adsvc.enums import Feature, JobName
from adsvc.errors import ImageStoreUnavailableError
from adsvc.invalidation import InvalidationKind
from adsvc.kit.counters import JobCounts, WorkCounts
from adsvc.kit.db.database import Database, DatabaseSession
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.mail import Transport
from adsvc.kit.observability.logging import CountedWarning
from adsvc.kit.observability.tracing import note_span, span
from adsvc.kit.storage import ImageStore
from adsvc.repositories import deals, notices
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.outbox import ClaimedEntry
from adsvc.repositories.percolation import CONSUMER
from adsvc.services import conversations, picture_deletion, retention, suggestions
from adsvc.services import following as following_services
from adsvc.services.ads import lifecycle
from adsvc.services.categories import changes
from adsvc.services.categories.reading import CategoryMemory
from adsvc.services.following import Percolation
from adsvc.services.images import picture_pool
from adsvc.services.imports import Importing
from adsvc.services.mail.delivery import MailDeliveries, transport_of
from adsvc.services.moderation import decisions
from adsvc.services.picture_deletion import PURGE, Purging
from adsvc.services.places import loading
from adsvc.services.rate_limits import TextQuota
from adsvc.services.readiness import disk_reserves
from adsvc.services.webhooks import WebhookSecrets, outbound_client
from adsvc.settings import Settings
from adsvc.worker.consumers import Lane, following
from adsvc.worker.imports import ROWS_AT_ONCE, ImportLane
from adsvc.worker.outbox import Outbox
from adsvc.worker.push import PushLane
from adsvc.worker.webhooks import WebhookDeliveries

logger = logging.getLogger("adsvc.worker")
jobs_logger = logging.getLogger("adsvc.jobs")
# Some jobs run twice a second, and would log the same fault each time.
waiting = CountedWarning(jobs_logger, "Jobs wait for the database or the image store: %s")

# A process that has just started has more urgent work.
FIRST_CLEANING_SECONDS = 60
CLEANING_SECONDS = 3600
# Of saved searches a few at a time, so that a week is enough for all.
KEYS_SECONDS = 60
# The lock of a job ends after ten minutes unless it is kept.
RENEWAL_SECONDS = 60.0
# How often the figures of sellers are counted anew.
ANSWERS_SECONDS = 3600.0
# Jobs that run more often are recorded only once in this time.
RECORD_SECONDS = 60.0
# When a requested run is found whose notice was lost, or which another process did not end.
REQUESTS_SECONDS = 30.0


@dataclass
class RegularJob:
    """`work` does the job once. It returns how many items it has done."""

    name: str
    work: Callable[[], Awaitable[int]]
    period: float
    first: float = 0
    # Whether `work` itself locks out other processes.
    locks_itself: bool = False
    # Whether one run in each period is enough for all processes together.
    is_shared: bool = False
    recorded_at: float = float("-inf")


def jobs_of(
    settings: Settings, database: Database, store: ImageStore, counts: WorkCounts
) -> Sequence[RegularJob]:
    counts.cleaning.begin(retention.deletions_of(database, settings))
    return (
        RegularJob(
            JobName.EXPIRIES,
            lambda: lifecycle.mark_expired(database),
            lifecycle.PERIOD_SECONDS,
            locks_itself=True,
        ),
        RegularJob(
            JobName.SUSPENSIONS,
            lambda: decisions.show_again(database, store),
            decisions.PERIOD_SECONDS,
            locks_itself=True,
        ),
        RegularJob(
            JobName.ENDINGS,
            lambda: following_services.queue_endings(database),
            following_services.ENDINGS_SECONDS,
        ),
        RegularJob(
            JobName.MESSAGE_MAILS,
            lambda: conversations.queue_mails(database),
            conversations.MAILS_SECONDS,
        ),
        RegularJob(
            JobName.PICTURE_DELETIONS,
            lambda: picture_deletion.work(database, store),
            picture_deletion.PERIOD_SECONDS,
        ),
        RegularJob(
            JobName.SEARCH_KEYS,
            lambda: following_services.renew_keys(database),
            KEYS_SECONDS,
            first=FIRST_CLEANING_SECONDS,
        ),
        RegularJob(
            JobName.CATEGORY_WORDS,
            lambda: changes.add_words(database),
            changes.WORDS_SECONDS,
        ),
        RegularJob(
            JobName.SEARCH_PHRASES,
            lambda: suggestions.renew_phrases(database),
            suggestions.PHRASES_SECONDS,
            is_shared=True,
        ),
        RegularJob(
            JobName.ANSWER_FIGURES,
            lambda: deals.renew_answer_figures(database.writer),
            ANSWERS_SECONDS,
            is_shared=True,
        ),
        RegularJob(
            JobName.PLACES,
            lambda: loading.load(database, settings.countries or None),
            loading.PERIOD_SECONDS,
        ),
        RegularJob(
            JobName.CLEANING,
            lambda: retention.clean(database, settings, counts.cleaning),
            CLEANING_SECONDS,
            first=FIRST_CLEANING_SECONDS,
            is_shared=True,
        ),
    )


async def keep_running(database: Database, job: RegularJob, counts: JobCounts) -> None:
    """Runs the job regularly until it is cancelled."""
    await asyncio.sleep(job.first)
    while True:
        await run_once(database, job, counts)
        await asyncio.sleep(job.period)


async def run_once(
    database: Database, job: RegularJob, counts: JobCounts, *, requested: bool = False
) -> None:
    """Runs the job once, unless another process runs it. Errors are logged.

    With `requested` it runs before its time, if the request was not answered meanwhile.
    """
    try:
        if job.locks_itself:
            seconds, fault = await _run(job, counts)
            if requested or time.monotonic() - job.recorded_at >= RECORD_SECONDS:
                async with database.autocommit() as session:
                    await _record(session, job, seconds, fault)
            return
        async with database.lasting_transaction() as locking:
            # The lock is the transaction's, which is idle while the job has others of its own.
            period = job.period if job.is_shared else 0
            if await job_rows.lock(locking, job.name, period=period, requested=requested):
                await _record(locking, job, *await _run_locked(locking, job, counts))
    except Exception as error:
        if not is_database_fault(error):
            jobs_logger.exception("The job %s was not begun, or not ended.", job.name)
        else:
            waiting.note(job.name)


async def run_requested(database: Database, jobs: Sequence[RegularJob], counts: WorkCounts) -> bool:
    """Runs the jobs that an administrator has requested, one after another."""
    async with database.autocommit() as session:
        requested = await job_rows.requested_jobs(session)
    for job in jobs:
        if job.name in requested:
            await run_once(database, job, counts.jobs[job.name], requested=True)
    return False


async def _run_locked(
    locking: DatabaseSession, job: RegularJob, counts: JobCounts
) -> tuple[float, Exception | None]:
    """As `_run`, and keeps the lock however long it takes; without the lock, `job` is cancelled."""
    running = asyncio.create_task(_run(job, counts))
    try:
        while not (await asyncio.wait([running], timeout=RENEWAL_SECONDS))[0]:
            await job_rows.keep_lock(locking)
    finally:
        # No effect if it has ended.
        running.cancel()
        await asyncio.wait([running])
    return running.result()


async def _run(job: RegularJob, counts: JobCounts) -> tuple[float, Exception | None]:
    """Runs the job. Returns the seconds that it took, and its error."""
    began, done, fault = time.monotonic(), 0, None
    name = f"job {job.name}"
    try:
        # Jobs that run twice a second get a span only if they did something.
        with nullcontext() if job.locks_itself else span(name, {}, begins_trace=True):
            done = await job.work()
    except Exception as error:
        fault = error
        if is_database_fault(error) or isinstance(error, ImageStoreUnavailableError):
            waiting.note(f"{job.name}, {type(error).__name__}")
        else:
            jobs_logger.exception("The job %s failed.", job.name)
    seconds = time.monotonic() - began
    if job.locks_itself and (done or fault is not None):
        note_span(name, seconds, fault, {"adsvc.done": done}, begins_trace=True)
    counts.runs += 1
    counts.failures += fault is not None
    counts.done += done
    counts.seconds += seconds
    if done or job.is_shared:
        jobs_logger.info("The job %s did %d in %.3f s.", job.name, done, seconds)
    return seconds, fault


async def _record(
    session: DatabaseSession, job: RegularJob, seconds: float, fault: Exception | None
) -> None:
    await job_rows.record(session, job.name, seconds=seconds, succeeded=fault is None)
    job.recorded_at = time.monotonic()


# How long deliveries may still take when a service ends. Clients wait for its successor meanwhile.
SHUTDOWN_GRACE_SECONDS = 5.0


def mail_outbox(
    settings: Settings,
    database: Database,
    counts: WorkCounts,
    *,
    shutdown_grace_seconds: float = SHUTDOWN_GRACE_SECONDS,
) -> tuple[Outbox, Transport]:
    """The outbox for mails and purges, and its transport, which the caller closes."""
    transport = transport_of(settings)
    if settings.smtp_url is None:
        logger.warning("Mails are not sent (no ADSVC_SMTP_URL): they are in %s", settings.mail_dir)
    deliveries, purging = MailDeliveries(database, settings, transport), Purging(settings)
    kinds = deliveries.kinds | purging.kinds
    counts.begin(kinds)

    async def deliver(entry: ClaimedEntry) -> None:
        await (purging if entry.kind == PURGE else deliveries).deliver(entry)

    outbox = Outbox(
        database,
        deliver,
        transport.rest,
        kinds=kinds,
        at_once=settings.mail_connections,
        seconds=settings.mail_seconds,
        attempts=settings.outbox_attempts,
        shutdown_grace_seconds=shutdown_grace_seconds,
        counts=counts,
    )
    return outbox, transport


@asynccontextmanager
async def working(
    settings: Settings,
    database: Database,
    store: ImageStore,
    counts: WorkCounts,
    *,
    shutdown_grace_seconds: float = SHUTDOWN_GRACE_SECONDS,
) -> AsyncIterator[None]:
    """The database should be listening; otherwise entries are found some seconds late."""
    outbox, transport = mail_outbox(
        settings, database, counts, shutdown_grace_seconds=shutdown_grace_seconds
    )
    # What it imports and reads at first would hold the event loop for 0.3 s at the first delivery.
    client = await asyncio.to_thread(outbound_client, settings)
    # Uploads have others.
    image_pool = picture_pool(
        settings, queue=ROWS_AT_ONCE, workers=max(1, settings.image_workers // 2)
    )
    jobs = jobs_of(settings, database, store, counts)
    tasks = [
        asyncio.create_task(keep_running(database, job, counts.jobs[job.name])) for job in jobs
    ]
    webhooks = WebhookDeliveries(
        database,
        client,
        WebhookSecrets(*settings.jwt_secrets()),
        shutdown_grace_seconds=shutdown_grace_seconds,
        counts=counts.webhooks,
    )
    followers = Lane(
        "favorites",
        [
            following(database, "favorites", notices.queue),
            lambda: following_services.send_notices(database),
        ],
        [InvalidationKind.AD, InvalidationKind.USER],
    )
    percolation = Percolation(database)

    async def send_alerts() -> bool:
        # Matches are counted meanwhile.
        is_off = Feature.SEARCHES in settings.features_off
        return False if is_off else await following_services.send_alerts(database)

    matching = Lane(
        "searches",
        [
            percolation.renew_wrong_keys,
            following(database, CONSUMER, percolation.handle, is_ready=percolation.has_right_keys),
            following(
                database, webhook_rows.CONSUMER, webhook_rows.queue_for_accounts, behind=CONSUMER
            ),
            send_alerts,
        ],
        [InvalidationKind.AD, InvalidationKind.USER, InvalidationKind.MESSAGE],
    )
    talking = Lane(
        "messages",
        [following(database, conversations.CONSUMER, notices.notify_receivers)],
        [InvalidationKind.MESSAGE],
    )
    push = PushLane(database, settings, client)
    categories, quota = CategoryMemory(database), TextQuota(database, settings)
    reserve, _ = disk_reserves(settings, store)
    importing = Importing(database, settings, store, image_pool, categories, quota, reserve)
    importer = ImportLane(importing, client, shutdown_grace_seconds=shutdown_grace_seconds)
    requests = Lane(
        "jobs",
        [lambda: run_requested(database, jobs, counts)],
        [InvalidationKind.JOB],
        poll_seconds=REQUESTS_SECONDS,
    )
    lanes: list[Outbox | WebhookDeliveries | PushLane | ImportLane | Lane]
    lanes = [outbox, webhooks, push, importer, followers, matching, talking, requests]
    search_cluster = None
    if settings.search_nodes:
        # They take memory.
        from adsvc.repositories.ads.opensearch.cluster import SearchCluster  # noqa: PLC0415
        from adsvc.services.search_index import WRITE_SECONDS  # noqa: PLC0415
        from adsvc.worker.search_index import feeding  # noqa: PLC0415

        search_cluster = SearchCluster(settings.search_nodes, seconds=WRITE_SECONDS)
        feed = feeding(database, search_cluster)
        lanes.append(Lane("search index", [feed], [InvalidationKind.AD]))
    tasks += [asyncio.create_task(lane.run()) for lane in lanes]
    for lane in lanes:
        database.changes.follow(lane.wake)
    try:
        yield
    finally:
        for lane in lanes:
            database.changes.unfollow(lane.wake)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if search_cluster is not None:
            await search_cluster.close()
        await image_pool.close()
        await transport.close()
        await client.close()
