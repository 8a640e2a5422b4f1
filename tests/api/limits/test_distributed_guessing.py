"""Password guesses from many addresses are limited, without locking the owner out."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from conftest import ApiFactory
from support.scene.api import PASSWORD, Api
from support.scene.logins import ask, bearer, log_in, refresh

WRONG = {"username": "anna", "password": "a wrong guess"}
RIGHT = {"username": "anna", "password": PASSWORD}
HOME = "203.0.113.7"


async def attempt(api: Api, address: str, record: dict[str, str] = WRONG, **options: object) -> int:
    async with api.at(address) as client:
        return (await client.post("/login", json=record, **options)).status_code  # type: ignore[arg-type]


async def refused_after(api: Api, addresses: Iterator[str]) -> int:
    """How many guesses at one account were looked at before the first was refused."""
    for number, address in enumerate(addresses):
        status = await attempt(api, address)
        if status == 429:
            return number
        assert status == 401
    pytest.fail("Nothing was refused.")


@pytest.mark.heavy
async def test_one_address_after_the_other_of_a_network_is_no_way_to_guess_on(
    start_api: ApiFactory,
) -> None:
    limits = {"login_attempts": 2, "login_attempts_per_account": 1000}
    async with start_api(rate_limits="on", **limits) as api:
        for around, addresses in (
            ("a /56", (f"2001:db8:1:{n:x}::1" for n in range(99))),
            ("a /48", (f"2001:db8:2:{n:x}00::1" for n in range(99))),
            ("a /24", (f"198.51.100.{n}" for n in range(99))),
        ):
            assert await refused_after(api, addresses) == 8, around
        assert await attempt(api, "2001:db8:3::1") == 401
        assert await attempt(api, "198.51.101.1") == 401


@pytest.mark.heavy
async def test_a_network_that_tries_many_accounts_is_closed_to_all(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts_per_address=2) as api:
        found = [
            await attempt(api, f"2001:db8:0:{n:x}00::1", {**WRONG, "username": f"user{n}"})
            for n in range(10)
        ]
        assert found == [401] * 8 + [429] * 2


@pytest.mark.heavy
async def test_registrations_of_a_network_are_limited_too(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", registrations_per_address=1) as api:
        found = []
        for number in range(6):
            async with api.at(f"2001:db8:0:{number:x}::1") as client:
                record = {"username": f"user{number}", "password": PASSWORD}
                found.append((await client.post("/register", json=record)).status_code)
        assert found == [201] * 4 + [429] * 2


@asynccontextmanager
async def besieged(start_api: ApiFactory) -> AsyncIterator[tuple[Api, dict[str, str]]]:
    """Anna is logged in at home when a crowd uses up all attempts at her account."""
    async with start_api(rate_limits="on", login_attempts=3, login_attempts_per_account=12) as api:
        await api.person("anna")
        async with api.at(HOME) as client:
            pair = (await client.post("/login", json=RIGHT)).json()
        crowd = (f"2001:{n:x}::1" for n in range(1, 99))
        assert await refused_after(api, crowd) == 12
        yield api, pair


@pytest.mark.heavy
async def test_a_crowd_is_stopped_and_the_owner_is_not(start_api: ApiFactory) -> None:
    async with besieged(start_api) as (api, pair):
        assert await attempt(api, "192.0.2.99") == 429
        assert await attempt(api, HOME, RIGHT) == 200
        # With a token from anywhere, and for what asks for the password again.
        stranger = "192.0.2.98"
        assert await attempt(api, stranger, RIGHT, headers=bearer(pair["access_token"])) == 200
        change = {"currentPassword": PASSWORD, "newPassword": "another correct horse"}
        async with api.at(stranger) as client:
            headers = bearer(pair["access_token"])
            changed = await client.post("/users/set_password", json=change, headers=headers)
            assert changed.status_code == 200
            confirmation = {"currentPassword": change["newPassword"]}
            headers = bearer(changed.json()["access_token"])
            gone = await client.request("DELETE", "/users/me", json=confirmation, headers=headers)
            assert gone.status_code == 204


@pytest.mark.heavy
async def test_home_and_token_have_limits_of_their_own(start_api: ApiFactory) -> None:
    async with besieged(start_api) as (api, pair):
        assert [await attempt(api, HOME) for _ in range(4)] == [401] * 3 + [429]
        headers = bearer(pair["access_token"])
        found = [await attempt(api, f"2002:{n:x}::1", WRONG, headers=headers) for n in range(1, 6)]
        assert found == [401] * 3 + [429] * 2


@pytest.mark.heavy
async def test_the_token_or_network_of_another_exempts_no_one(start_api: ApiFactory) -> None:
    async with besieged(start_api) as (api, _):
        eve = await api.person("eve@example.com")
        assert await attempt(api, "192.0.2.1", RIGHT) == 200, "where Anna registered"
        async with api.at("192.0.2.200") as client:
            record = {"username": eve.username, "password": PASSWORD}
            assert (await client.post("/login", json=record)).status_code == 200
        assert await attempt(api, "192.0.2.200", RIGHT) == 429
        assert await attempt(api, "192.0.2.201", RIGHT, headers=bearer(eve.token)) == 429
        assert (
            await attempt(api, "192.0.2.201", RIGHT, headers={"Authorization": "Bearer x"}) == 429
        )


@pytest.mark.heavy
async def test_home_is_where_the_session_was_last_used(start_api: ApiFactory) -> None:
    async with besieged(start_api) as (api, pair):
        moved = "192.0.2.150"
        async with api.at(moved) as client:
            assert (await refresh(client, pair["refresh_token"])).status_code == 200
        assert await attempt(api, moved, RIGHT) == 200
        assert await attempt(api, HOME, RIGHT) == 429


@pytest.mark.heavy
async def test_a_home_whose_sessions_have_ended_is_none(start_api: ApiFactory) -> None:
    async with besieged(start_api) as (api, _):
        await api.sql("UPDATE sessions SET expires_at = now()")
        assert await attempt(api, HOME, RIGHT) == 429


@pytest.mark.heavy
async def test_unknown_names_are_refused_alike(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts_per_account=3) as api:
        await api.person("anna")
        told = []
        for name in ("anna", "nobody"):
            for number in range(5):
                async with api.at(f"2001:{number + 1:x}::1") as client:
                    answer = await client.post("/login", json={**WRONG, "username": name})
                    limits = answer.headers.get("RateLimit-Policy")
                    problem = answer.json()
                    told.append((answer.status_code, problem["type"], problem["title"], limits))
        assert told[:5] == told[5:]
        assert told[4][3] == '"login-account";q=3;w=3600'


async def test_the_network_of_a_session_is_no_address(start_api: ApiFactory) -> None:
    async with start_api() as api:
        for name in ("anna", "berta"):
            await api.person(name)
        digests = await api.sql("SELECT network_hash FROM sessions")
        assert len(set(digests)) == 2
        assert all(len(digest) == 16 for digest in digests)


@pytest.mark.heavy
async def test_an_attempt_that_finds_the_service_busy_is_given_back(start_api: ApiFactory) -> None:
    async with start_api(
        rate_limits="on", login_attempts=1, password_workers=1, password_queue=1
    ) as api:
        await api.person("anna")
        pool = api.state.password_pool
        for _ in range(2):
            pool.admission.enter()
        form = {"grant_type": "password", **RIGHT}
        assert [(await ask(api.client, **form)).status_code for _ in range(3)] == [503] * 3
        for _ in range(2):
            pool.admission.leave()
        assert (await ask(api.client, **form)).status_code == 200


@pytest.mark.heavy
async def test_an_attempt_that_finds_the_database_away_is_given_back(
    start_own_api: ApiFactory,
) -> None:
    limits = {"login_attempts": 1, "login_attempts_per_address": 2, "database_timeout_seconds": 0.5}
    async with start_own_api(rate_limits="on", **limits) as api:
        anna = await api.person("anna")
        url = api.state.settings.required_database_url()
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            # As long as this lasts, accounts cannot be read.
            await connection.execute(text("LOCK TABLE users IN ACCESS EXCLUSIVE MODE"))
            found = [await attempt(api, HOME, RIGHT) for _ in range(2)]
        await engine.dispose()
        assert found == [503, 503]
        assert await attempt(api, HOME) == 401
        assert await attempt(api, HOME) == 429
        assert (await log_in(api, anna))["token_type"] == "Bearer"
