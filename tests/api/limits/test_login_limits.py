import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx2
import pytest

from adsvc.kit.bulkheads import admission
from adsvc.kit.bulkheads.admission import Admission
from adsvc.services.accounts.credentials import client_of
from conftest import ApiFactory
from support.running.in_process import HERE
from support.scene.api import PASSWORD, Api, Person

ELSEWHERE, BESIDE = "198.51.100.7", "192.0.2.77"


async def statuses(client: httpx2.AsyncClient, *attempts: tuple[str, str]) -> list[int]:
    return [
        (await client.post("/login", json={"username": name, "password": password})).status_code
        for name, password in attempts
    ]


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_the_owner_can_still_log_in_from_elsewhere(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=2) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        await statuses(api.client, *[("anna", "wrong password")] * 3)
        async with api.at(ELSEWHERE) as elsewhere:
            assert await statuses(elsewhere, ("anna", PASSWORD)) == [200]
        assert await statuses(api.client, ("anna", PASSWORD)) == [429]


@pytest.mark.heavy
async def test_a_login_that_succeeds_gives_back_its_own_attempt_alone(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", login_attempts=3) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        wrong, right = ("anna", "wrong password"), ("anna", PASSWORD)
        assert await statuses(api.client, wrong, wrong, *[right] * 4) == [401, 401] + [200] * 4
        # Else who knows the password of one account could use it to hash without end.
        assert await statuses(api.client, wrong, right) == [401, 429]


@pytest.mark.heavy
async def test_logins_that_succeed_have_a_limit_too(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=2, login_attempts_in_all=5) as api:
        for name in ("anna", "berta"):
            await api.client.post("/register", json={"username": name, "password": PASSWORD})
        found = await statuses(api.client, *[("anna", PASSWORD)] * 6)
        assert found == [200] * 5 + [429]
        # Of one account from one address.
        assert await statuses(api.client, ("berta", PASSWORD)) == [200]
        async with api.at(ELSEWHERE) as elsewhere:
            assert await statuses(elsewhere, ("anna", PASSWORD)) == [200]


@pytest.mark.heavy
async def test_a_password_that_is_asked_for_again_counts_among_all_of_them(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", login_attempts_in_all=2) as api:
        person = await api.person()
        same = {"currentPassword": PASSWORD, "newPassword": PASSWORD}
        found = []
        for _ in range(3):
            answer = await person.patch("/users/set_password", json=same)
            found.append(answer.status_code)
            person.token = answer.json().get("access_token", person.token)
        assert found == [200, 200, 429]


def places_of(api: Api) -> Admission:
    return api.state.password_pool.admission


@contextmanager
def hashing(api: Api, *attempts: tuple[str, str]) -> Iterator[None]:
    """Passwords of such an account from such an address are hashed during the block."""
    places = places_of(api)
    with ExitStack() as stack:
        for name, address in attempts:
            places.enter(client_of(name, address))
            stack.callback(places.leave, client_of(name, address))
        yield


@pytest.mark.heavy
async def test_no_account_and_no_network_fills_the_queue_for_hashes(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "SHARE_SECONDS", 0)
    async with start_api(
        rate_limits="on", password_workers=1, password_queue=15, login_network_factor=2
    ) as api:
        await api.person(username="anna")
        berta = await api.person(username="berta")
        here = api.client
        async with api.at(ELSEWHERE) as elsewhere, api.at(BESIDE) as beside:
            with hashing(api, *[("anna", HERE)] * 2):
                refused = await here.post("/login", json={"username": "ANNA", "password": PASSWORD})
                assert refused.status_code == 429
                policy = '"passwords";q=2;qu="concurrent-requests"'
                assert refused.headers["RateLimit-Policy"] == policy
                assert refused.headers["Retry-After"] == "1"
                assert await statuses(here, ("berta", PASSWORD)) == [200]
                # Strangers leave the owner their share.
                assert await statuses(elsewhere, ("anna", PASSWORD)) == [200]
            with hashing(api, *[(f"user{number}", HERE) for number in range(4)]):
                change = {"currentPassword": PASSWORD, "newPassword": "another horse battery"}
                record = {"username": "another", "password": PASSWORD}
                for answer in (
                    await here.post("/login", json={"username": "berta", "password": PASSWORD}),
                    await here.post("/register", json=record),
                    await berta.patch("/users/set_password", json=change),
                    await berta.delete("/users/me", json={"currentPassword": PASSWORD}),
                ):
                    assert answer.status_code == 429
                assert await statuses(beside, ("berta", PASSWORD)) == [200]
            # Whoever has all of a network has half of the pool.
            with hashing(api, *[(f"user{n}", f"192.0.2.{n + 100}") for n in range(8)]):
                assert await statuses(beside, ("berta", PASSWORD)) == [429]
                assert await statuses(elsewhere, ("berta", PASSWORD)) == [200]
            # What was refused has no place, and was no attempt.
            assert await statuses(here, ("anna", PASSWORD), ("berta", PASSWORD)) == [200, 200]
            assert api.state.password_pool.usage.waiting == 0


@pytest.mark.heavy
async def test_many_at_one_address_log_in_one_after_the_other(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "SHARE_SECONDS", 60)
    async with start_api(rate_limits="on", busy_requests=6) as api:
        await asyncio.gather(*(api.person(username=f"pupil{number}") for number in range(20)))
        with hashing(api, *[(f"somebody{number}", HERE) for number in range(4)]):
            class_ = [
                asyncio.create_task(statuses(api.client, (f"pupil{number}", PASSWORD)))
                for number in range(20)
            ]
            async with asyncio.timeout(20):
                while len(places_of(api)._waiting) < 20:  # noqa: ASYNC110 - there is no event
                    await asyncio.sleep(0)
            # They take no place among those that the process is busy with.
            assert (await api.client.get("/ads?minPrice=2")).status_code == 200
        assert await asyncio.gather(*class_) == [[200]] * 20


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_successes_do_not_let_an_address_guess_on_and_on(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts_per_address=4) as api:
        await api.client.post("/register", json={"username": "anna", "password": PASSWORD})
        attempts = [("anna", PASSWORD), ("victim", "wrong password")] * 5
        # Successes are given back, guesses are not.
        expected = [200, 401] * 4 + [429, 429]
        assert await statuses(api.client, *attempts) == expected


@pytest.mark.heavy
async def test_an_attempt_over_the_limit_costs_no_hashing(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=1, password_workers=1) as api:
        await statuses(api.client, ("anna", "wrong password"))
        done = threading.Event()
        hashing = asyncio.create_task(api.state.password_pool.run(done.wait))
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_a_login_says_how_many_attempts_are_left(start_api: ApiFactory) -> None:
    """Of the client's own limits, the same for existing and unknown names."""
    async with start_api(rate_limits="on", login_attempts=4, login_attempts_in_all=5) as api:
        await api.person("anna")

        async def told(name: str, password: str, *, by_oauth: bool = False) -> tuple[int, str, str]:
            record = {"username": name, "password": password}
            if by_oauth:
                form = {"grant_type": "password", **record}
                answer = await api.client.post("/token", data=form)
            else:
                answer = await api.client.post("/login", json=record)
            limit, left = answer.headers["RateLimit-Policy"], answer.headers["RateLimit"]
            assert left.partition(";")[0] == limit.partition(";")[0]
            return answer.status_code, limit, left.split(";")[1]

        guesses = '"login";q=4;w=300'
        for name in ("anna", "somebody"):
            assert await told(name, "wrong password") == (401, guesses, "r=3")
            assert await told(name, "wrong password", by_oauth=True) == (400, guesses, "r=2")
        assert await told("anna", PASSWORD) == (200, guesses, "r=2")
        # Whichever limit ends first, by what others cannot have done.
        in_all = '"login-in-all";q=5;w=300'
        assert await told("anna", PASSWORD, by_oauth=True) == (200, in_all, "r=1")
        assert await told("anna", "wrong password") == (401, in_all, "r=0")
        assert (await told("anna", PASSWORD))[::2] == (429, "r=0")


async def test_without_limits_a_login_mentions_none(api: Api) -> None:
    person = await api.person()
    for password in (PASSWORD, "wrong password"):
        record = {"username": person.username, "password": password}
        answer = await api.client.post("/login", json=record)
        assert "RateLimit" not in answer.headers
