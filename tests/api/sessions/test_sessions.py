import time
from typing import Any

import pytest

from adsvc.enums import Role
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.logins import basic, bearer, log_in, opens, refresh

SESSION = {"id", "client", "beganAt", "lastUsedAt", "expiresAt", "current"}


async def sessions(api: Api, token: str) -> list[dict[str, Any]]:
    answer = await api.client.get("/users/me/sessions", headers=bearer(token))
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["results"]
    assert answer.json() == {"count": len(found), "results": found}
    return found


async def test_login_gives_a_token_pair_that_is_not_for_caches(api: Api) -> None:
    person = await api.person()
    record = {"username": person.username, "password": person.password}
    answer = await api.client.post("/login", json=record)
    pair = answer.json()
    assert pair.keys() == {"access_token", "token_type", "expires_in", "refresh_token"}
    assert (pair["token_type"], pair["expires_in"]) == ("Bearer", 900)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Pragma"] == "no-cache"
    assert await opens(api.client, pair["access_token"])


@pytest.mark.heavy
async def test_a_user_sees_where_they_are_logged_in(api: Api) -> None:
    person, stranger = await api.person(), await api.person()
    before = int(time.time() * 1000)
    laptop = await log_in(api, person, user_agent=b"Mozilla/5.0 (X11)")
    phone = await log_in(api, person, user_agent=b"adsvc-app/2")
    await log_in(api, stranger)
    after = int(time.time() * 1000) + 1
    found = await sessions(api, laptop["access_token"])
    assert all(session.keys() == SESSION for session in found)
    # Last used first; the third is the one that `person` was made with.
    assert [session["client"] for session in found[:2]] == ["adsvc-app/2", "Mozilla/5.0 (X11)"]
    assert [session["current"] for session in found] == [False, True, False]
    for session in found[:2]:
        assert before <= session["beganAt"] == session["lastUsedAt"] <= after
        assert session["expiresAt"] - session["beganAt"] == 30 * 24 * 3600 * 1000
    await refresh(api.client, laptop["refresh_token"])
    found = await sessions(api, phone["access_token"])
    assert [session["client"] for session in found[:2]] == ["Mozilla/5.0 (X11)", "adsvc-app/2"]
    assert found[0]["lastUsedAt"] > found[0]["beganAt"]
    assert [session["current"] for session in found] == [False, True, False]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b"curl/8.5.0", "curl/8.5.0"),
        (b"", ""),
        (b"x" * 5000, "x" * 120),
        (b"a\x1b[31mred\x07", "a[31mred"),
        (b"tab\tand\x85\xadc1", "tabandc1"),
        (b"caf\xe9", "café"),
        (b"<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
async def test_the_description_of_a_client_is_short_and_printable(
    api: Api, sent: bytes, kept: str
) -> None:
    pair = await log_in(api, await api.person(), user_agent=sent)
    found = await sessions(api, pair["access_token"])
    assert found[0]["client"] == kept


async def test_a_user_ends_a_session(api: Api) -> None:
    person = await api.person()
    lost = await log_in(api, person)
    session_id = (await sessions(api, lost["access_token"]))[0]["id"]
    answer = await person.delete(f"/users/me/sessions/{session_id}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert not await opens(api.client, lost["access_token"])
    assert (await refresh(api.client, lost["refresh_token"])).status_code == 400
    assert await opens(api.client, person.token)
    assert (await person.delete(f"/users/me/sessions/{session_id}")).status_code == 404


async def test_ending_the_current_session_logs_out(api: Api) -> None:
    person = await api.person()
    (session,) = await sessions(api, person.token)
    assert (await person.delete(f"/users/me/sessions/{session['id']}")).status_code == 204
    assert not await opens(api.client, person.token)


async def test_a_user_cannot_end_the_session_of_another(api: Api) -> None:
    victim, stranger, admin = await api.person(), await api.person(), await api.admin()
    (session,) = await sessions(api, victim.token)
    for attacker in (stranger, admin):
        answer = await attacker.delete(f"/users/me/sessions/{session['id']}")
        assert answer.status_code == 404
        assert answer.json()["type"] == "/problems#session-not-found"
    assert await opens(api.client, victim.token)


@pytest.mark.parametrize(
    ("session_id", "status"),
    [("0", 400), ("-1", 400), ("abc", 400), ("1_0", 400), ("9" * 25, 400), (str(2**63 - 1), 404)],
)
async def test_what_names_no_session_is_refused(api: Api, session_id: str, status: int) -> None:
    person = await api.person()
    assert (await person.delete(f"/users/me/sessions/{session_id}")).status_code == status


async def test_an_expired_session_is_not_listed(api: Api) -> None:
    person = await api.person()
    await api.sql("UPDATE sessions SET expires_at = now()")
    pair = await log_in(api, person)
    assert len(await sessions(api, pair["access_token"])) == 1
    assert len(await api.sql("SELECT id FROM sessions")) == 1


@pytest.mark.heavy
async def test_the_session_used_longest_ago_ends_when_there_are_too_many(
    start_api: ApiFactory,
) -> None:
    async with start_api(sessions_per_user=3) as api:
        person, other = await api.person(), await api.person()
        used, idle = await log_in(api, person), await log_in(api, person)
        assert await opens(api.client, person.token)
        used = (await refresh(api.client, used["refresh_token"])).json()
        newest = [await log_in(api, person) for _ in range(2)]
        assert len(await sessions(api, used["access_token"])) == 3
        for pair in (used, *newest):
            assert await opens(api.client, pair["access_token"])
        assert not await opens(api.client, idle["access_token"])
        assert not await opens(api.client, person.token)
        assert await opens(api.client, other.token)


@pytest.mark.heavy
async def test_a_login_without_a_session_is_nowhere_current(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True) as api:
        person = await api.person()
        headers = basic(person.username, person.password)
        answer = await api.client.get("/users/me/sessions", headers=headers)
        assert [session["current"] for session in answer.json()["results"]] == [False]


@pytest.mark.heavy
async def test_a_lost_role_counts_at_the_next_request(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ads = [await author.post_ad() for _ in range(2)]
    comments = [await _comment(author, ad["pk"]) for ad in ads]
    assert (await admin.delete(comments[0])).status_code == 204
    assert (await admin.delete(f"/ads/{ads[0]['pk']}")).status_code == 204
    await api.set_role(admin, Role.USER)
    assert (await admin.delete(comments[1])).status_code == 403
    assert (await admin.delete(f"/ads/{ads[1]['pk']}")).status_code == 403
    assert (await admin.get("/users/me")).json()["role"] == "USER"
    await api.set_role(admin, Role.ADMIN)
    assert (await admin.delete(comments[1])).status_code == 204


async def _comment(person: Person, ad_id: int) -> str:
    answer = await person.post(f"/ads/{ad_id}/comments", json={"text": "Still there?"})
    return f"/ads/{ad_id}/comments/{answer.json()['pk']}"
