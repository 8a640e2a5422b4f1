"""A cached private response is sent only to callers whom the database would accept."""

import time
from collections.abc import Awaitable, Callable

import httpx2
import jwt
import pytest
import sqlalchemy

from adsvc.repositories.accounts import callers as caller_rows
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.listings import announce_all
from support.scene.logins import basic, bearer, log_in, reuse, revoke
from support.scene.moderation import TERMS
from support.scene.warmth import reads, settle, warmed
from support.trouble.delays import delayed
from support.trouble.notifications import unnotified

NEW_PASSWORD = "a new password"


@pytest.fixture
async def path(api: Api) -> str:
    author = await api.person(phone="+49 30 7654321")
    return f"/ads/{(await author.post_ad())['pk']}"


async def caller_of(api: Api) -> tuple[Person, str]:
    """Somebody whose token is known, and their refresh token."""
    person = await api.person()
    pair = await log_in(api, person)
    person.token = pair["access_token"]
    return person, pair["refresh_token"]


@pytest.fixture
async def caller(api: Api) -> tuple[Person, str]:
    return await caller_of(api)


async def password_changed(_: Api, person: Person, __: str) -> None:
    change = {"currentPassword": person.password, "newPassword": NEW_PASSWORD}
    assert (await person.post("/users/set_password", json=change)).status_code == 200


async def logged_out(api: Api, _: Person, refresh_token: str) -> None:
    assert (await revoke(api.client, refresh_token)).status_code == 200


async def logged_out_by_access_token(api: Api, person: Person, _: str) -> None:
    assert (await revoke(api.client, person.token)).status_code == 200


async def session_ended(_: Api, person: Person, __: str) -> None:
    (current,) = [
        session
        for session in (await person.get("/users/me/sessions")).json()["results"]
        if session["current"]
    ]
    assert (await person.delete(f"/users/me/sessions/{current['id']}")).status_code == 204


async def refresh_token_reused(api: Api, _: Person, refresh_token: str) -> None:
    await reuse(api.client, refresh_token)


async def account_deleted(_: Api, person: Person, __: str) -> None:
    confirmation = {"currentPassword": person.password}
    assert (await person.request("DELETE", "/users/me", json=confirmation)).status_code == 204


async def suspended(api: Api, person: Person, _: str) -> None:
    admin = await api.admin()
    answer = await admin.post(f"/users/{person.id}/suspend", json=TERMS)
    assert answer.status_code == 200


async def deleted_in_the_database(api: Api, person: Person, _: str) -> None:
    await api.sql("DELETE FROM users WHERE id = :id", id=person.id)
    await settle(api)


async def truncated_in_the_database(api: Api, _: Person, __: str) -> None:
    async with api.state.database.engine.begin() as connection:
        await connection.exec_driver_sql("TRUNCATE sessions CASCADE")
    await settle(api)


End = Callable[[Api, Person, str], Awaitable[None]]


ENDS = [
    password_changed,
    logged_out,
    logged_out_by_access_token,
    session_ended,
    refresh_token_reused,
    account_deleted,
    suspended,
]


@pytest.mark.guard
async def test_the_process_that_ends_a_token_needs_no_notification(api: Api, path: str) -> None:
    for end in ENDS:
        person, refresh_token = await caller_of(api)
        await warmed(api, path, person.headers)
        async with unnotified(api):
            await end(api, person, refresh_token)
            assert (await person.get(path)).status_code == 401, end.__name__


@pytest.mark.heavy
@pytest.mark.parametrize("end", [*ENDS, deleted_in_the_database, truncated_in_the_database])
async def test_an_ended_token_gets_nothing_at_once(
    api: Api, path: str, caller: tuple[Person, str], end: End
) -> None:
    person, refresh_token = caller
    await warmed(api, path, person.headers)
    await end(api, person, refresh_token)
    for _ in range(2):
        answer = await person.get(path)
        assert answer.status_code == 401
        assert "+49 30 7654321" not in answer.text
    # What was cached is still cached, for those who may see it.
    if end is not truncated_in_the_database:
        await warmed(api, path, (await api.person()).headers)


@pytest.mark.heavy
@pytest.mark.parametrize("end", ENDS)
async def test_one_end_leaves_the_tokens_of_others_known(
    api: Api, path: str, caller: tuple[Person, str], end: End
) -> None:
    person, refresh_token = caller
    bystander = await api.person()
    # As many sessions as an account may have end together with some of them.
    await api.sql(
        "INSERT INTO sessions (user_id, handle_hash, secret_hash, client, expires_at)"
        " SELECT :id, n::text::bytea, '', '', now() + interval '1 day'"
        " FROM generate_series(1, 25) n RETURNING id",
        id=person.id,
    )
    await warmed(api, path, bystander.headers)
    known = f"Bearer {bystander.token}"
    assert api.state.token_cache.get(known)
    await end(api, person, refresh_token)
    await settle(api)
    assert api.state.token_cache.get(known), "a stranger's token was forgotten"


@pytest.mark.heavy
async def test_surplus_and_expired_sessions_leave_the_tokens_of_others_known(
    start_api: ApiFactory,
) -> None:
    async with start_api(sessions_per_user=1) as api:
        bystander, person = await api.person(), await api.person()
        path = f"/ads/{(await bystander.post_ad())['pk']}"
        await warmed(api, path, bystander.headers)
        await log_in(api, person)
        async with api.state.database.autocommit() as session:
            statement = "UPDATE sessions SET expires_at = now() WHERE user_id = :id"
            await session.execute(sqlalchemy.text(statement), {"id": person.id})
        await log_in(api, person)
        await settle(api)
        assert api.state.token_cache.get(f"Bearer {bystander.token}")


@pytest.mark.heavy
async def test_the_request_that_ends_a_token_needs_no_notice(api: Api, path: str) -> None:
    """PostgreSQL's word may come after the next request; here it does not come at all."""
    callers = [await caller_of(api) for _ in ENDS]
    await api.sql("ALTER TABLE sessions DISABLE TRIGGER USER")
    try:
        for end, (person, refresh_token) in zip(ENDS, callers, strict=True):
            await warmed(api, path, person.headers)
            await end(api, person, refresh_token)
            assert (await person.get(path)).status_code == 401, end
    finally:
        await api.sql("ALTER TABLE sessions ENABLE TRIGGER USER")


@pytest.mark.heavy
async def test_the_oldest_of_too_many_sessions_ends_at_once(start_api: ApiFactory) -> None:
    async with start_api(sessions_per_user=1) as api:
        person = await api.person()
        path = f"/ads/{(await person.post_ad())['pk']}"
        await warmed(api, path, person.headers)
        await log_in(api, person)
        assert (await person.get(path)).status_code == 401


@pytest.mark.heavy
async def test_an_expired_token_gets_nothing(start_api: ApiFactory) -> None:
    async with start_api(access_token_seconds=2) as api:
        person = await api.person()
        path = f"/ads/{(await person.post_ad())['pk']}"
        await settle(api)
        person.token = (await log_in(api, person))["access_token"]
        expires_at = jwt.decode(person.token, options={"verify_signature": False})["exp"]
        statuses = []
        while time.time() < expires_at + 0.05:
            before = time.time()
            statuses.append((await person.get(path)).status_code)
            assert statuses[-1] == 401 or before < expires_at
        assert statuses[0] == 200
        assert (await person.get(path)).status_code == 401
        # The answer was there all the time.
        assert api.state.responses.ad(path.rsplit("/", 1)[1], person.id) is not None


async def test_a_cached_private_response_is_still_private(api: Api, path: str) -> None:
    person = await api.person()
    await warmed(api, path, person.headers)
    head, payload, signature = person.token.split(".")
    for headers in (
        {},
        bearer(""),
        bearer("x"),
        bearer(f"{head}.{payload}."),
        bearer(f"{head}.{payload}.{signature[:-2]}AA"),
        bearer(person.token[:-1]),
        {"Authorization": person.token},
        {"Authorization": f"Token {person.token}"},
        {"Authorization": f"Basic {person.token}"},
        {"Authorization": f"Bearer{person.token}"},
        {"Authorization": f"Bearer Bearer {person.token}"},
        {"Authorization": f"Bearer {person.token},x"},
        {"X-Authorization": f"Bearer {person.token}"},
        {"Cookie": f"Authorization=Bearer {person.token}"},
        {"If-None-Match": "*"},
    ):
        for method in ("GET", "HEAD"):
            answer = await api.client.request(method, path, headers=headers)
            assert answer.status_code == 401, headers
            assert "ETag" not in answer.headers
            assert "+49" not in answer.text
    for query in (f"?access_token={person.token}", f"?Authorization=Bearer%20{person.token}"):
        assert (await api.client.get(path + query)).status_code == 401


@pytest.mark.heavy
async def test_credentials_are_read_the_same_whether_the_answer_is_ready(
    start_api: ApiFactory,
) -> None:
    def values(person: Person) -> list[list[tuple[str, str]]]:
        token, good = person.token, f"Bearer {person.token}"
        known = basic(person.username, person.password)["Authorization"]
        wrong = basic(person.username, "not the password")["Authorization"]
        single = [good, f"bearer {token}", f"BEARER {token}", f"Bearer  {token}", f"{good} ", known,
                  f"Bearer\t{token}", token, wrong, f"Basic {token}", ""]  # fmt: skip
        pairs = [(good, "Bearer x"), ("Bearer x", good), (known, "x"), (wrong, good), (good, wrong)]
        return [[("Authorization", value)] for value in single] + [
            [("Authorization", one), ("Authorization", other)] for one, other in pairs
        ]

    async def statuses(client: httpx2.AsyncClient, path: str, person: Person) -> list[int]:
        return [(await client.get(path, headers=headers)).status_code for headers in values(person)]

    for http_basic in (False, True):
        async with (
            start_api(http_basic=http_basic) as api,
            start_api(http_basic=http_basic, answers_max_bytes=0) as other,
        ):
            person = await api.person()
            path = f"/ads/{(await person.post_ad())['pk']}"
            made = await statuses(other.client, path, person)
            await warmed(api, path, person.headers)
            assert await statuses(api.client, path, person) == made
            assert made[:5] == [200] * 5
            assert made[5] == (200 if http_basic else 401)
            assert made[6:11] == [401] * 5
            assert made[11:] == [200, 401, made[5], 401, 200]


async def test_another_user_gets_the_same_with_a_token_of_their_own(api: Api, path: str) -> None:
    one, other = await api.person(), await api.person()
    cold, hot = await warmed(api, path, one.headers)
    assert (await other.get(path)).content == cold.content
    with reads(api) as counted:
        answer = await other.get(path)
    assert counted.total() == 0
    assert (answer.content, hot.content) == (cold.content, cold.content)
    await logged_out(api, one, one.token)
    assert (await one.get(path)).status_code == 401
    assert (await other.get(path)).status_code == 200


async def test_one_client_cannot_evict_the_tokens_of_others(api: Api, path: str) -> None:
    person = await api.person()
    await warmed(api, path, person.headers)
    for text in ("x", "A" * 64, person.token[:-2] + "AA"):
        await revoke(api.client, text)
    assert api.state.token_cache.get(person.headers["Authorization"]) is not None


@pytest.mark.heavy
async def test_a_token_whose_session_ends_while_it_is_verified_is_not_known(
    api: Api, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await api.person()
    await settle(api)
    with delayed(monkeypatch, caller_rows, "by_session") as delay:
        asked = await delay.begun(person.get(path))
        await api.sql("DELETE FROM sessions WHERE user_id = :id", id=person.id)
        announce_all(api)
        assert (await delay.ended(asked)).status_code == 200
    await settle(api)
    assert (await person.get(path)).status_code == 401
