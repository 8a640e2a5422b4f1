"""The cache of verified Basic credentials, and how guesses at them are counted."""

import asyncio
import base64
import gc
import time
from collections.abc import AsyncIterator
from types import FunctionType, ModuleType

import pytest

from adsvc.api.dependencies import calls
from adsvc.kit.db.database import Database
from adsvc.kit.invalidation import InvalidationBus
from adsvc.kit.security import tokens
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api
from support.scene.logins import basic, status_with
from support.scene.warmth import reads, settle, warmed
from support.trouble.clocks import Clock

NEW_PASSWORD = "another correct horse"


@pytest.fixture
async def basic_api(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api(http_basic=True) as api:
        yield api


@pytest.mark.heavy
async def test_wrong_passwords_are_limited_as_at_login(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True, rate_limits="on", login_attempts=3) as api:
        person = await api.person()
        assert await status_with(api.client, person.username, PASSWORD) == 200
        for number in range(3):
            assert await status_with(api.client, person.username, f"wrong password {number}") == 401
        answer = await api.client.get("/users/me", headers=basic(person.username, "a guess"))
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) >= 1
        record = {"username": person.username, "password": PASSWORD}
        assert (await api.client.post("/login", json=record)).status_code == 429
        # Who is known already is not shut out by others who guess.
        assert await status_with(api.client, person.username, PASSWORD) == 200


@pytest.mark.heavy
async def test_repeats_of_one_wrong_pair_count_once(start_api: ApiFactory) -> None:
    """A tab that was left open with the old password does not lock its owner out."""
    async with start_api(http_basic=True, rate_limits="on", login_attempts=3) as api:
        person = await api.person()
        change = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
        assert (await person.post("/users/set_password", json=change)).status_code == 200
        for username in (person.username, "nobody@example.com"):
            found = {await status_with(api.client, username, PASSWORD) for _ in range(10)}
            assert found == {401}, username
        assert await status_with(api.client, person.username, NEW_PASSWORD) == 200
        # The right password forgives no wrong one before it, of which there was one.
        guesses = [await status_with(api.client, person.username, f"guess {n}") for n in range(3)]
        assert guesses == [401, 401, 429]
        # Of a pair that was wrong only this is remembered, until the password is another.
        await api.sql("DELETE FROM rate_limits")
        assert await status_with(api.client, person.username, PASSWORD) == 401
        back = {"currentPassword": NEW_PASSWORD, "newPassword": PASSWORD}
        headers = basic(person.username, NEW_PASSWORD)
        answer = await api.client.post("/users/set_password", json=back, headers=headers)
        assert answer.status_code == 200
        assert await status_with(api.client, person.username, PASSWORD) == 200


@pytest.mark.heavy
async def test_a_wrong_pair_is_a_new_guess_in_the_next_window(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(tokens, "CREDENTIALS_CAPACITY", 2)
    options = {"http_basic": True, "rate_limits": "on", "login_attempts": 1}
    async with start_api(login_window_seconds=300, **options) as api:
        api.state.credentials.cache.now = clock.monotonic
        person = await api.person()
        found = []
        for seconds in (0, 299.9, 0.2):
            clock.now += seconds
            found.append(await status_with(api.client, person.username, "not the password"))
        assert found == [401, 401, 429]
        cache = api.state.credentials.cache
        for number in range(5):
            cache.keep_wrong("a", str(number), password_hash=None, seconds=10)
        kept = [cache.is_wrong("a", str(number), None) for number in range(5)]
        assert kept == [False, False, False, True, True]
        assert not cache.is_wrong("a", "4", "another hash")


@pytest.mark.heavy
async def test_a_pair_is_verified_again_after_a_minute(start_api: ApiFactory) -> None:
    clock = Clock()
    async with start_api(http_basic=True, rate_limits="on", login_attempts=1) as api:
        api.state.credentials.cache.now = clock.monotonic
        person = await api.person()
        assert await status_with(api.client, person.username, PASSWORD) == 200
        # From now on every verification of a password is refused, which shows that there was one.
        assert await status_with(api.client, person.username, "not the password") == 401
        clock.now += 59.9
        assert await status_with(api.client, person.username, PASSWORD) == 200
        clock.now += 0.1
        assert await status_with(api.client, person.username, PASSWORD) == 429


@pytest.mark.heavy
async def test_a_wrong_pair_is_not_remembered(basic_api: Api) -> None:
    person, other = await basic_api.person(), await basic_api.person()
    cache = basic_api.state.credentials.cache
    assert await status_with(basic_api.client, person.username, PASSWORD) == 200
    for username, password in (
        (person.username, "not the password"),
        (other.username, "not the password"),
        ("nobody", PASSWORD),
    ):
        assert await status_with(basic_api.client, username, password) == 401
        assert cache.get(username, password) is None
    assert cache.get(person.username, PASSWORD) is not None


@pytest.mark.guard
@pytest.mark.parametrize("by", ["interface", "database"])
async def test_a_changed_password_is_forgotten_at_once(basic_api: Api, by: str) -> None:
    person = await basic_api.person()
    client = basic_api.client
    assert await status_with(client, person.username, PASSWORD) == 200
    if by == "interface":
        change = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
        headers = basic(person.username, PASSWORD)
        answer = await client.patch("/users/set_password", json=change, headers=headers)
        assert answer.status_code == 200
        assert await status_with(client, person.username, NEW_PASSWORD) == 200
    else:
        await basic_api.sql("UPDATE users SET password_hash = 'set by the operator'")
    assert await status_with(client, person.username, PASSWORD) == 401


@pytest.mark.heavy
async def test_a_deleted_account_is_forgotten_at_once(basic_api: Api) -> None:
    person = await basic_api.person()
    assert await status_with(basic_api.client, person.username, PASSWORD) == 200
    confirmation = {"currentPassword": PASSWORD}
    answer = await basic_api.client.request(
        "DELETE", "/users/me", json=confirmation, headers=basic(person.username, PASSWORD)
    )
    assert answer.status_code == 204
    assert await status_with(basic_api.client, person.username, PASSWORD) == 401


@pytest.mark.heavy
async def test_the_role_of_a_remembered_pair_is_read_anew(basic_api: Api) -> None:
    author, admin = await basic_api.person(), await basic_api.person()
    ad = await author.post_ad()
    headers = basic(admin.username, PASSWORD)
    path = f"/ads/{ad['pk']}"
    assert (await basic_api.client.delete(path, headers=headers)).status_code == 403
    await basic_api.sql("UPDATE users SET role = 'ADMIN' WHERE id = :id", id=admin.id)
    assert (await basic_api.client.delete(path, headers=headers)).status_code == 204


def reachable(root: object) -> list[object]:
    """The object and all data it leads to. The bus leads to all that follows it, whatever it is."""
    found: dict[int, object] = {}
    waiting = [root]
    unfollowed = (type, ModuleType, FunctionType, InvalidationBus)
    while waiting:
        item = waiting.pop()
        if id(item) not in found and not isinstance(item, unfollowed):
            found[id(item)] = item
            waiting += gc.get_referents(item)
    return list(found.values())


@pytest.mark.heavy
async def test_nothing_of_a_pair_is_kept_as_plain_text(basic_api: Api) -> None:
    person = await basic_api.person("anna.plain@example.com", password="plain text of mine")
    assert await status_with(basic_api.client, person.username, person.password) == 200
    kept = "\n".join(map(repr, reachable(basic_api.state.credentials.cache)))
    assert "argon2" in kept
    pair = f"{person.username}:{person.password}".encode()
    for secret in ("plain text of mine", "anna.plain", base64.b64encode(pair).decode()):
        assert secret not in kept


@pytest.mark.heavy
async def test_a_page_may_ask_for_many_things_at_once(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True, rate_limits="on", login_attempts=3) as api:
        person = await api.person()
        found = await asyncio.gather(
            *(status_with(api.client, person.username, PASSWORD) for _ in range(20))
        )
        assert set(found) == {200}


@pytest.mark.heavy
async def test_verified_credentials_need_no_further_query(
    basic_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    author, reader = await basic_api.person(), await basic_api.person()
    path = f"/ads/{(await author.post_ad())['pk']}"
    headers = basic(reader.username, PASSWORD)
    await warmed(basic_api, path, author.headers)
    assert (await basic_api.client.get(path, headers=headers)).status_code == 200
    with monkeypatch.context() as patch, reads(basic_api) as counted:
        patch.setattr(Database, "autocommit", None)
        assert (await basic_api.client.get(path, headers=headers)).status_code == 200
        assert not counted
    assert reader.username not in repr(reachable(basic_api.state.token_cache))
    change = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
    answer = await basic_api.client.patch("/users/set_password", json=change, headers=headers)
    assert answer.status_code == 200
    assert (await basic_api.client.get(path, headers=headers)).status_code == 401


@pytest.mark.heavy
async def test_what_is_known_of_a_pair_ends_with_it(start_api: ApiFactory) -> None:
    now = Clock()
    async with start_api(http_basic=True) as api:
        api.state.credentials.cache.now = now.monotonic
        person = await api.person()
        pair = f"Basic {base64.b64encode(f'{person.username}:{PASSWORD}'.encode()).decode()}"
        assert await status_with(api.client, person.username, PASSWORD) == 200
        await settle(api)
        now.now += 50
        assert await status_with(api.client, person.username, PASSWORD) == 200
        known = calls.known_caller(api.state, pair)
        assert known is not None
        assert known.user_id == person.id
        assert known.expires_at - time.time() <= 10
