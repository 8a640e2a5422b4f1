import asyncio
import threading

import httpx
import pytest

from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person

ELSEWHERE = "198.51.100.7"


async def statuses(client: httpx.AsyncClient, *attempts: tuple[str, str]) -> list[int]:
    return [
        (await client.post("/login", json={"username": name, "password": password})).status_code
        for name, password in attempts
    ]


async def test_an_account_is_closed_to_an_address_that_guesses(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=3, login_window_seconds=600) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        assert await statuses(api.client, *[("anna", "wrong password")] * 3) == [401] * 3
        answer = await api.client.post("/login", json={"username": "anna", "password": PASSWORD})
        assert answer.status_code == 429
        # One attempt in 200 seconds is what the limit amounts to.
        assert 190 <= int(answer.headers["Retry-After"]) <= 200
        assert answer.headers["Retry-After"] in answer.json()["detail"]
        assert await statuses(api.client, ("ANNA", PASSWORD)) == [429]
        assert await statuses(api.client, ("somebody", "wrong password")) == [401]


async def test_the_owner_can_still_log_in_from_elsewhere(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=2) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        await statuses(api.client, *[("anna", "wrong password")] * 3)
        async with api.at(ELSEWHERE) as elsewhere:
            assert await statuses(elsewhere, ("anna", PASSWORD)) == [200]
        assert await statuses(api.client, ("anna", PASSWORD)) == [429]


async def test_a_login_that_succeeds_forgives_the_attempts_before(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=3) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        wrong = ("anna", "wrong password")
        for _ in range(3):
            found = await statuses(api.client, wrong, wrong, ("anna", PASSWORD))
            assert found == [401, 401, 200]


async def test_an_address_is_closed_to_all_accounts_after_many_attempts(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", login_attempts_per_address=5) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        guesses = [(f"user{number}", "wrong password") for number in range(5)]
        assert await statuses(api.client, *guesses) == [401] * 5
        assert await statuses(api.client, ("anna", PASSWORD)) == [429]
        # A login that succeeds somewhere in between does not open the address again.
        async with api.at(ELSEWHERE) as elsewhere:
            assert await statuses(elsewhere, ("anna", PASSWORD)) == [200]
        assert await statuses(api.client, ("anna", PASSWORD)) == [429]


async def test_successes_do_not_let_an_address_guess_on_and_on(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts_per_address=4) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        attempts = [("anna", PASSWORD), ("victim", "wrong password")] * 5
        # Successes are given back, guesses are not.
        expected = [200, 401] * 4 + [429, 429]
        assert await statuses(api.client, *attempts) == expected


async def test_an_attempt_over_the_limit_costs_no_hashing(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=1, password_workers=1) as api:
        await statuses(api.client, ("anna", "wrong password"))
        done = threading.Event()
        hashing = asyncio.create_task(api.state.credentials._passwords._pool.run(done.wait))
        try:
            # What had to be hashed would wait for what ends only afterwards.
            async with asyncio.timeout(20):
                assert await statuses(api.client, ("anna", "wrong password")) == [429]
        finally:
            done.set()
            await hashing


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP"])
async def test_a_forged_address_does_not_help(start_api: ApiFactory, name: str) -> None:
    async with start_api(rate_limits="on", login_attempts=1) as api:
        credentials = {"username": "anna", "password": "wrong password"}
        found = []
        for number in range(2):
            headers = {name: f"203.0.113.{number}"}
            found.append(await api.client.post("/login", json=credentials, headers=headers))
        assert [answer.status_code for answer in found] == [401, 429]


async def test_registrations_of_one_address_are_limited(start_api: ApiFactory) -> None:
    async with start_api(
        rate_limits="on", registrations_per_address=2, registration_window_seconds=120
    ) as api:
        sent = [{"username": f"user{number}", "password": PASSWORD} for number in range(4)]
        first = [await api.client.post("/register", json=record) for record in sent[:2]]
        assert [answer.status_code for answer in first] == [201, 201]
        answer = await api.client.post("/register", json=sent[2])
        assert answer.status_code == 429
        assert 50 <= int(answer.headers["Retry-After"]) <= 60
        async with api.at(ELSEWHERE) as elsewhere:
            assert (await elsewhere.post("/register", json=sent[3])).status_code == 201
        assert await api.sql("SELECT username FROM users ORDER BY id") == [
            "user0",
            "user1",
            "user3",
        ]


async def test_a_malformed_request_is_not_counted(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", registrations_per_address=1, login_attempts=1) as api:
        for path in ("/register", "/login"):
            for _ in range(3):
                assert (await api.client.post(path, json={})).status_code == 400
        record = {"username": "anna", "password": PASSWORD}
        assert (await api.client.post("/register", json=record)).status_code == 201
        assert (await api.client.post("/login", json=record)).status_code == 200


async def test_the_limiter_remembers_neither_names_nor_addresses(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on") as api:
        await statuses(api.client, ("anna", "wrong password"))
        kept = " ".join(await api.sql("SELECT key FROM rate_limits ORDER BY key"))
        assert "login:" in kept
        assert "login-address:" in kept
        assert "anna" not in kept
        assert "192.0.2.1" not in kept


async def test_limits_that_are_off_count_nothing(api: Api) -> None:
    assert await statuses(api.client, *[("anna", "wrong password")] * 12) == [401] * 12
    assert await api.sql("SELECT key FROM rate_limits") == []


async def test_each_operation_that_checks_a_password_counts_guesses(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=1, http_basic=True) as api:

        async def guess(way: str, person: Person, password: str) -> int:
            client, name = api.client, person.username
            record = {"currentPassword": password, "newPassword": "another horse battery"}
            match way.split():
                case ["login"]:
                    login = {"username": name, "password": password}
                    answer = await client.post("/login", json=login)
                case ["token"]:
                    form = {"grant_type": "password", "username": name, "password": password}
                    answer = await client.post("/token", data=form)
                case ["basic"]:
                    answer = await client.get("/users/me", auth=(name, password))
                case [method, path]:
                    answer = await person.request(method, path, json=record)
            return answer.status_code

        for way, wrong in (
            ("login", 401),
            ("token", 400),
            ("basic", 401),
            ("POST /users/set_password", 403),
            ("PATCH /users/set_password", 403),
            ("DELETE /users/me", 403),
        ):
            person = await api.person()
            found = [await guess(way, person, password) for password in ("guess 1", "guess 2")]
            assert found == [wrong, 429], way
