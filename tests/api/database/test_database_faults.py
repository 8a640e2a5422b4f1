"""Databases that refuse, stay silent or go away: real ones, on real sockets."""

import asyncio

import httpx2
import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from adsvc.api import problems
from adsvc.kit.db import servers, statements
from adsvc.kit.observability.logging import CountedWarning
from adsvc.settings.groups import Jobs
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, ad_form
from support.trouble.databases import (
    hang_up,
    postgres_that,
    refusing,
    stay_silent,
    without_connections,
)


async def all_operations(api: Api) -> list[httpx2.Response]:
    token = api.state.tokens.issue(1, 1).text
    headers = {"Authorization": f"Bearer {token}"}
    credentials = {"username": "anna@example.com", "password": PASSWORD}
    request = api.client.request
    return [
        await request("GET", "/ads"),
        await request("GET", "/ads/me", headers=headers),
        await request("GET", "/ads/1", headers=headers),
        await request("DELETE", "/ads/1", headers=headers),
        await request("PATCH", "/ads/1", headers=headers, json={"price": 1}),
        await request("POST", "/ads", headers=headers, files=ad_form()),
        await request("POST", "/login", json=credentials),
        await request("POST", "/register", json=credentials),
        await request("GET", "/readyz"),
    ]


def are_unavailable(answers: list[httpx2.Response]) -> None:
    for answer in answers:
        assert answer.status_code == 503, answer.request.url
        assert answer.json()["type"] == "/problems#unavailable"
        assert answer.headers["Retry-After"] == "1"


async def test_a_database_that_is_not_there_is_not_the_client_s_fault(
    start_api: ApiFactory,
) -> None:
    nobody_listens = SecretStr("postgresql://adsvc:x@127.0.0.1:1/adsvc")
    async with start_api(database_url=nobody_listens) as api:
        are_unavailable(await all_operations(api))
        assert (await api.client.get("/livez")).status_code == 200


async def test_requests_that_a_fault_refuses_are_one_line_in_the_log_with_their_number(
    start_api: ApiFactory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lines() -> list[int]:
        # Applications of tests before may write their last line meanwhile.
        own = "Here: The database is at fault"
        return [record.count for record in caplog.records if record.message.startswith(own)]  # type: ignore[attr-defined]

    nobody_listens = SecretStr("postgresql://adsvc:x@127.0.0.1:1/adsvc")
    async with start_api(database_url=nobody_listens, jobs=Jobs.OFF) as api:
        faults = CountedWarning(problems.logger, f"Here: {problems.database_faults.message}")
        monkeypatch.setattr(faults, "PERIOD_SECONDS", 3600)
        monkeypatch.setattr(problems, "database_faults", faults)
        are_unavailable([await api.client.get("/ads") for _ in range(20)])
        assert lines() == [1]
        # As it is a second later.
        faults.write_rest()
        assert lines() == [1, 19]


# Starting, shutting down, too many connections, taking none.
@pytest.mark.parametrize("sqlstate", ["57P03", "57P01", "53300", "55000"])
async def test_a_database_that_accepts_no_connection_is_not_the_client_s_fault(
    start_api: ApiFactory, sqlstate: str
) -> None:
    async with postgres_that(refusing(sqlstate)) as url, start_api(database_url=url) as api:
        are_unavailable(await all_operations(api))


@pytest.mark.heavy
async def test_a_database_that_hangs_up_is_not_the_client_s_fault(start_api: ApiFactory) -> None:
    async with postgres_that(hang_up) as url, start_api(database_url=url) as api:
        are_unavailable(await all_operations(api))


@pytest.mark.heavy
async def test_a_database_that_stays_silent_is_not_waited_for(start_api: ApiFactory) -> None:
    async with (
        postgres_that(stay_silent) as url,
        start_api(database_url=url, database_timeout_seconds=0.1) as api,
    ):
        are_unavailable(await all_operations(api))


@pytest.mark.heavy
async def test_a_pool_without_connections_refuses(start_api: ApiFactory) -> None:
    changes = {"database_timeout_seconds": 0.1, "jobs": Jobs.OFF}
    async with start_api(database_pool_size=1, **changes) as api:
        person = await api.person()
        async with api.state.database.engine.connect():
            sessions = await person.get("/users/me/sessions")
            are_unavailable([sessions, await person.patch("/users/me", json={"firstName": "A"})])
        async with without_connections(api.state.database.writer._cached_plans):
            are_unavailable([await person.delete("/ads/1")])
        async with without_connections(api.state.database.reader._cached_plans):
            are_unavailable([await api.client.get("/ads"), await person.get("/users/me")])
        assert (await person.get("/ads/me")).status_code == 200


@pytest.mark.heavy
async def test_a_read_that_is_given_up_takes_its_connection_with_it(start_api: ApiFactory) -> None:
    async with start_api(database_pool_size=1) as api:
        reader = api.state.database.reader
        [before] = await reader.fetch("SELECT pg_backend_pid()")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await reader.fetch("SELECT pg_sleep(3)")
        [after] = await reader.fetch("SELECT pg_backend_pid()")
        assert before != after


async def test_a_connection_that_rested_too_long_is_not_used_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = api.state.database.reader
    pids = [await reader.fetch("SELECT pg_backend_pid()") for _ in range(2)]
    monkeypatch.setattr(statements, "IDLE_SECONDS", 0)
    pids.append(await reader.fetch("SELECT pg_backend_pid()"))
    assert pids[0] == pids[1] != pids[2]


@pytest.mark.heavy
async def test_callers_are_known_while_the_schema_is_ahead(start_own_api: ApiFactory) -> None:
    async with start_own_api() as api:
        person = await api.person()
        await api.sql("ALTER TABLE users ADD COLUMN pronouns text")
        assert (await person.get("/users/me")).status_code == 200


@pytest.mark.heavy
async def test_a_database_that_comes_back_is_used_again(
    server_url: URL, start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever comes next looks for it.
    monkeypatch.setattr(servers, "PROBE_SECONDS", 0)
    # With one place for each kind, one that got lost would be missed.
    async with start_own_api(database_pool_size=1, jobs=Jobs.OFF) as api:
        person = await api.person()
        await person.post_ad()
        name = str(api.state.database.engine.url.database)
        engine = create_async_engine(server_url, isolation_level="AUTOCOMMIT")
        async with engine.connect() as admin:
            await allow_connections(admin, name, "false")
            await disconnect_all(admin, name)
            are_unavailable([await api.client.get("/ads") for _ in range(3)])
            await allow_connections(admin, name, "true")
        await engine.dispose()
        # The first to write finds a connection that has gone, and takes another.
        assert (await person.patch("/ads/1", json={"price": 5})).status_code == 200
        assert (await api.client.get("/ads")).json()["count"] == 1


async def allow_connections(admin: AsyncConnection, database: str, allowed: str) -> None:
    await admin.execute(text(f"ALTER DATABASE {database} ALLOW_CONNECTIONS {allowed}"))


async def disconnect_all(admin: AsyncConnection, database: str) -> None:
    """Returns when the last of them is gone."""
    await admin.execute(
        text("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = :name"),
        {"name": database},
    )
