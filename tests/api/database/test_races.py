"""Requests that meet a change of their account while they are under way.

The change is a transaction of the test's own: it is committed when the request waits for it.
"""

import asyncio
from typing import Any

import pytest

from support.scene.api import PASSWORD, Api, Person, ad_form, image_form, without_variants
from support.scene.logins import ask
from support.scene.snapshots import snapshot
from support.trouble.blocking import meanwhile, until_waiting, while_changing

# The person who acts is always the one who came last.
OF_NOBODY_ELSE = "DELETE FROM users WHERE id = (SELECT max(id) FROM users)"


@pytest.mark.parametrize("change", ["password", "app", "account", "suspension"])
@pytest.mark.parametrize("path", ["/login", "/token"])
async def test_a_login_overtaken_by_a_change_of_the_account_fails(
    api: Api, path: str, change: str
) -> None:
    person = await api.person()
    statement = {
        "password": "UPDATE users SET password_hash = 'another'",
        "app": "UPDATE users SET has_totp = TRUE",
        "account": "DELETE FROM users",
        "suspension": "UPDATE users SET suspended_until = 'infinity'",
    }[change]
    form = {"username": person.username, "password": PASSWORD}
    request = (
        api.client.post("/login", json=form)
        if path == "/login"
        else ask(api.client, grant_type="password", **form)
    )
    answer = await (await meanwhile(api, request, statement, "DELETE FROM sessions"))
    assert answer.status_code == (401 if path == "/login" else 400)
    assert await api.sql("SELECT id FROM sessions") == []


@pytest.mark.heavy
async def test_what_a_password_confirms_is_not_done_once_another_has_replaced_it(api: Api) -> None:
    """Whoever had the old password may be why it was changed."""
    other, person = await api.person(), await api.admin()
    await person.post_ad()
    mine = {"id": person.id}
    for method, path, sent in (
        ("DELETE", "/users/me", {}),
        ("PATCH", "/users/me", {"mail": "thief@example.com"}),
        ("PATCH", f"/users/{other.id}", {"role": "ADMIN"}),
    ):
        before = await snapshot(api)
        request = person.request(method, path, json={"currentPassword": PASSWORD, **sent})
        [kept] = await api.sql("SELECT password_hash FROM users WHERE id = :id", **mine)
        changed = (
            "UPDATE users SET password_hash = 'another' WHERE id = (SELECT max(id) FROM users)"
        )
        answer = await (await meanwhile(api, request, changed))
        assert answer.status_code == 403, (method, path)
        assert answer.json()["type"] == "/problems#wrong-password"
        now = "SELECT password_hash FROM users WHERE id = :id"
        assert await api.sql(now, **mine) == ["another"]
        await api.sql("UPDATE users SET password_hash = :kept WHERE id = :id", kept=kept, **mine)
        assert await snapshot(api) == before


async def test_of_two_changes_of_the_password_one_wins(api: Api) -> None:
    person = await api.person()

    async def change(password: str) -> int:
        record = {"currentPassword": PASSWORD, "newPassword": password}
        return (await person.post("/users/set_password", json=record)).status_code

    passwords = [f"another password {number}" for number in range(5)]
    statuses = await asyncio.gather(*map(change, passwords))
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 401, 403}
    assert len(await api.sql("SELECT id FROM sessions")) == 1
    await api.log_in(person.username, passwords[statuses.index(200)])


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("PATCH", "/users/me", {"json": {"firstName": "Anna"}}),
        ("PATCH", "/users/me/image", {"files": image_form()}),
        ("POST", "/ads", {"files": ad_form()}),
        ("POST", "/ads/{ad}/comments", {"json": {"text": "Still there?"}}),
        (
            "POST",
            "/users/set_password",
            {"json": {"currentPassword": PASSWORD, "newPassword": "another password"}},
        ),
    ],
)
async def test_a_request_overtaken_by_the_deletion_of_its_account_leaves_nothing(
    api: Api, method: str, path: str, options: dict[str, Any]
) -> None:
    author, person = await api.person(), await api.person()
    ad = await author.post_ad()
    request = person.request(method, path.format(ad=ad["pk"]), **options)
    answer = await (await meanwhile(api, request, OF_NOBODY_ELSE))
    assert answer.status_code in {401, 403, 404}
    after = await snapshot(api)
    assert len(without_variants(after.files)) == 1
    assert len(after.rows["users"]) == len(after.rows["ads"]) == len(after.rows["sessions"]) == 1
    assert after.rows["comments"] == []


async def test_a_comment_overtaken_by_the_deletion_of_its_ad_is_not_found(api: Api) -> None:
    author, person = await api.person(), await api.person()
    ad = await author.post_ad()
    path = f"/ads/{ad['pk']}/comments"
    request = person.post(path, json={"text": "Still there?"})
    answer = await (await meanwhile(api, request, "DELETE FROM ads"))
    assert answer.status_code == 404
    assert await api.sql("SELECT comments FROM ad_comment_totals") == []


async def comments_on(person: Person, *ads: dict[str, Any]) -> None:
    for ad in ads:
        answer = await person.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there?"})
        assert answer.status_code == 200


@pytest.mark.heavy
async def test_accounts_that_commented_on_each_other_are_deleted_at_once(api: Api) -> None:
    people = [await api.person() for _ in range(4)]
    ads = [await person.post_ad() for person in people for _ in range(2)]
    for person in people:
        await comments_on(person, *ads)

    async def delete(person: Person) -> int:
        confirmation = {"currentPassword": PASSWORD}
        return (await person.request("DELETE", "/users/me", json=confirmation)).status_code

    # None of them gets anywhere before all of them have come so far.
    async with while_changing(api, "LOCK TABLE comments IN EXCLUSIVE MODE"):
        tasks = [asyncio.create_task(delete(person)) for person in people]
        await until_waiting(api, *tasks)
    assert await asyncio.gather(*tasks) == [204] * len(people)
    after = await snapshot(api)
    assert after.files == {}
    kept = {"ad_totals", "installation"}
    assert not any(rows for name, rows in after.rows.items() if name not in kept)
    assert await api.sql("SELECT sum(ads) FROM ad_totals") == [0]


@pytest.mark.heavy
async def test_an_account_is_deleted_while_its_ads_change(api: Api) -> None:
    async def writes(person: Person, path: str, **sent: Any) -> set[int]:
        told: set[int] = set()
        while not told & {401, 404, 503}:
            told.add((await person.request("POST", path, **sent)).status_code)
        return told

    for _ in range(4):
        person = await api.person()
        ad = f"/ads/{(await person.post_ad())['pk']}"
        comment = {"json": {"text": "Still there?"}}
        writing = asyncio.gather(
            *(writes(person, f"{ad}/comments", **comment) for _ in range(2)),
            *(writes(person, f"{ad}/{step}") for step in ("reserve", "release")),
        )
        confirmation = {"currentPassword": PASSWORD}
        deleted = await person.request("DELETE", "/users/me", json=confirmation)
        assert deleted.status_code == 204, deleted.text
        assert not any(503 in told for told in await writing)


@pytest.mark.heavy
async def test_comments_posted_while_others_are_deleted_are_counted_exactly(api: Api) -> None:
    author = await api.person()
    ad = await author.post_ad()
    path = f"/ads/{ad['pk']}/comments"

    async def come_and_go(number: int) -> None:
        kept = await author.post(path, json={"text": f"kept {number}"})
        gone = await author.post(path, json={"text": f"gone {number}"})
        assert kept.status_code == gone.status_code == 200
        assert (await author.delete(f"{path}/{gone.json()['pk']}")).status_code == 204

    await asyncio.gather(*map(come_and_go, range(15)))
    found = (await author.get(path)).json()
    assert found["count"] == len(found["results"]) == 15
