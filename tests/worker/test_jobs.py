"""Regular jobs run in one process at a time, some once for all, and survive errors."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from adsvc.enums import AdvisoryLock, JobName
from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.counters import JobCounts, WorkCounts
from adsvc.kit.db.database import Database
from adsvc.kit.observability.logging import CountedWarning
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation.jobs import JobRecord
from adsvc.worker import running as module
from adsvc.worker.running import RegularJob, run_once, run_requested
from conftest import DatabaseFactory


@pytest.fixture
async def database_url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    """One of its own: the application that tests share does the work of theirs."""
    async with new_database() as url:
        yield url


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    opened = Database(database_url)
    yield opened
    await opened.close()


async def records(database: Database) -> dict[str, JobRecord]:
    async with database.autocommit() as session:
        return {record.name: record for record in await job_rows.all_jobs(session)}


@pytest.mark.heavy
async def test_a_job_is_run_by_one_process_at_a_time(database: Database) -> None:
    begun, ended, runs = asyncio.Event(), asyncio.Event(), 0

    async def work() -> int:
        nonlocal runs
        runs += 1
        begun.set()
        await ended.wait()
        return 1

    job = RegularJob("test", work, 1)
    first = asyncio.create_task(run_once(database, job, JobCounts()))
    await begun.wait()
    await run_once(database, job, JobCounts())
    ended.set()
    await first
    assert runs == 1
    await run_once(database, job, JobCounts())
    record = (await records(database))["test"]
    assert (runs, record.runs, record.failures) == (2, 2, 0)
    assert record.succeeded_at is not None


@pytest.mark.heavy
async def test_a_shared_job_is_run_once_in_its_period(database: Database) -> None:
    runs = 0

    async def work() -> int:
        nonlocal runs
        runs += 1
        return 0

    job = RegularJob("test", work, 3600, is_shared=True)
    for _ in range(2):
        await run_once(database, job, JobCounts())
    assert runs == 1
    async with database.autocommit() as session:
        await job_rows.record(session, "test", seconds=4000, succeeded=True)
    await run_once(database, job, JobCounts())
    assert runs == 2


async def test_a_requested_run_comes_before_its_time_and_once(database: Database) -> None:
    runs = 0

    async def work() -> int:
        nonlocal runs
        runs += 1
        if runs == 3:
            raise ValueError
        return 0

    jobs = [
        RegularJob(JobName.CLEANING, work, 3600, is_shared=True),
        RegularJob(JobName.ENDINGS, work, 3600, locks_itself=True),
    ]

    async def request(name: JobName) -> None:
        async with database.transaction() as transaction:
            await job_rows.request(transaction, name)

    async def running() -> list[str]:
        async with database.autocommit() as session:
            latest = await job_rows.latest(session)
        return [name for name, row in latest.items() if row["running"]]

    await run_requested(database, jobs, WorkCounts())
    assert runs == 0
    for name, expected in ((JobName.CLEANING, 1), (JobName.ENDINGS, 2), (JobName.CLEANING, 3)):
        await request(name)
        assert await running() == [name]
        # Every process hears of it.
        for _ in range(2):
            await run_requested(database, jobs, WorkCounts())
        assert (runs, await running()) == (expected, [])
    async with database.autocommit() as session:
        cleaning = (await job_rows.latest(session))["cleaning"]
    assert cleaning["failed_at"] > cleaning["succeeded_at"]


@pytest.mark.heavy
async def test_a_job_is_seen_running(database: Database) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> int:
        begun.set()
        await ended.wait()
        return 1

    async def running() -> bool:
        async with database.autocommit() as session:
            return bool((await job_rows.latest(session))["cleaning"]["running"])

    async with database.autocommit() as session:
        await job_rows.record(session, "cleaning", seconds=1, succeeded=True)
    task = asyncio.create_task(
        run_once(database, RegularJob(JobName.CLEANING, work, 1), JobCounts())
    )
    await begun.wait()
    assert await running()
    ended.set()
    await task
    assert not await running()


@pytest.mark.heavy
async def test_a_job_that_takes_longer_than_its_lock_lasts_keeps_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEWAL_SECONDS", 0.05)
    monkeypatch.setattr(job_rows, "IDLE_TIMEOUT", job_rows.IDLE_TIMEOUT.replace("10min", "500ms"))
    begun, ended, runs = asyncio.Event(), asyncio.Event(), 0

    async def work() -> int:
        nonlocal runs
        runs += 1
        begun.set()
        if runs == 1:
            await ended.wait()
        return 1

    job = RegularJob("test", work, 3600, is_shared=True)
    first = asyncio.create_task(run_once(database, job, JobCounts()))
    await begun.wait()
    await asyncio.sleep(0.7)
    await run_once(database, job, JobCounts())
    ended.set()
    await first
    await run_once(database, job, JobCounts())
    assert (runs, (await records(database))["test"].runs) == (1, 1)


@pytest.mark.heavy
async def test_a_job_that_loses_its_turn_is_ended_before_another_begins(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEWAL_SECONDS", 0.01)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> int:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 1

    job = RegularJob("test", work, 1)
    running = asyncio.create_task(run_once(database, job, JobCounts()))
    await begun.wait()
    async with database.autocommit() as session:
        await session.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_locks"
                " WHERE locktype = 'advisory' AND classid = :lock"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            ),
            {"lock": AdvisoryLock.JOB},
        )
    async with asyncio.timeout(30):
        await running
    assert ended.is_set()


@pytest.mark.heavy
@pytest.mark.parametrize("locks_itself", [False, True])
async def test_a_job_that_fails_is_logged_and_counted(
    database: Database,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    locks_itself: bool,
) -> None:
    told_once = CountedWarning(module.jobs_logger, module.waiting.message)
    monkeypatch.setattr(module, "waiting", told_once)
    faults = [ZeroDivisionError(), DatabaseUnavailableError()]

    async def work() -> int:
        raise faults.pop(0)

    job, counts = RegularJob("test", work, 1, locks_itself=locks_itself), JobCounts()
    for _ in range(2):
        await run_once(database, job, counts)
    assert (counts.runs, counts.failures) == (2, 2)
    assert caplog.text.count("The job test failed") == 1
    assert caplog.text.count("Jobs wait for the database or the image store: test, ") == 1
    record = (await records(database))["test"]
    # One that runs as often as the jobs that lock by themselves is written down once a minute.
    assert record.failures == (1 if locks_itself else 2)
    assert record.succeeded_at is None


async def test_a_database_that_is_away_ends_no_job(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told_once = CountedWarning(module.jobs_logger, module.waiting.message)
    monkeypatch.setattr(module, "waiting", told_once)

    async def work() -> int:
        raise AssertionError

    for fault, told in (
        (DatabaseUnavailableError(), "Jobs wait for the database"),
        (ZeroDivisionError(), "was not begun"),
    ):

        async def away(*_: object, fault: Exception = fault, **__: object) -> bool:
            raise fault

        monkeypatch.setattr(job_rows, "lock", away)
        await run_once(database, RegularJob("test", work, 1), JobCounts())
        assert told in caplog.text
