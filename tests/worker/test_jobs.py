"""Regular jobs: one process at a time, some once for all, and none ends with a fault."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.engine import URL

from adsvc.db.database import Database
from adsvc.errors import DatabaseUnavailableError
from adsvc.observability.work_counts import JobCounts
from adsvc.repositories import JobRepository
from adsvc.repositories.operation.jobs import JobRecord
from adsvc.worker.jobs import Job, run_once
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
        return {record.name: record for record in await JobRepository(session).all()}


async def test_a_job_is_run_by_one_process_at_a_time(database: Database) -> None:
    begun, ended, runs = asyncio.Event(), asyncio.Event(), 0

    async def work() -> int:
        nonlocal runs
        runs += 1
        begun.set()
        await ended.wait()
        return 1

    job = Job("test", work, 1)
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


async def test_a_shared_job_is_run_once_in_its_period(database: Database) -> None:
    runs = 0

    async def work() -> int:
        nonlocal runs
        runs += 1
        return 0

    job = Job("test", work, 3600, is_shared=True)
    for _ in range(2):
        await run_once(database, job, JobCounts())
    assert runs == 1
    async with database.autocommit() as session:
        await JobRepository(session).record("test", seconds=4000, succeeded=True)
    await run_once(database, job, JobCounts())
    assert runs == 2


@pytest.mark.parametrize("locks_itself", [False, True])
async def test_a_job_that_fails_is_logged_and_counted(
    database: Database, caplog: pytest.LogCaptureFixture, *, locks_itself: bool
) -> None:
    faults = [ZeroDivisionError(), DatabaseUnavailableError()]

    async def work() -> int:
        raise faults.pop(0)

    job, counts = Job("test", work, 1, locks_itself=locks_itself), JobCounts()
    for _ in range(2):
        await run_once(database, job, counts)
    assert (counts.runs, counts.failures) == (2, 2)
    assert caplog.text.count("The job test failed") == 2
    record = (await records(database))["test"]
    # One that runs as often as the jobs that lock by themselves is written down once a minute.
    assert record.failures == (1 if locks_itself else 2)
    assert record.succeeded_at is None


async def test_a_database_that_is_away_ends_no_job(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> int:
        raise AssertionError

    for fault, told in (
        (DatabaseUnavailableError(), "waits for the database"),
        (ZeroDivisionError(), "was not begun"),
    ):

        async def away(*_: object, fault: Exception = fault, **__: object) -> bool:
            raise fault

        monkeypatch.setattr(JobRepository, "take_turn", away)
        await run_once(database, Job("test", work, 1), JobCounts())
        assert told in caplog.text
