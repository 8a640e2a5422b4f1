"""Who may do what in a running service, and how long."""

import asyncio
import base64
import json
import statistics
import time
from itertools import cycle
from typing import Any

import pytest
from pwdlib.hashers.bcrypt import BcryptHasher
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from faults.conftest import NewService, Town
from faults.scale import measured, times
from faults.served import log_in, register
from support.scene.api import PASSWORD, Person, ad_form, image_form

pytestmark = pytest.mark.drill


ROLES = {
    # anonymous, a stranger, the author, an administrator
    ("GET", "/ads"): (200, 200, 200, 200),
    ("GET", "/ads/me"): (401, 200, 200, 200),
    ("GET", "/ads/{ad}"): (401, 200, 200, 200),
    ("GET", "/users/me"): (401, 200, 200, 200),
    ("PATCH", "/ads/{ad}"): (401, 403, 200, 200),
    ("PATCH", "/ads/{ad}/image"): (401, 403, 200, 200),
    ("PATCH", "/ads/{ad}/comments/{comment}"): (401, 403, 200, 200),
    ("DELETE", "/ads/{ad}/comments/{comment}"): (401, 403, 204, 204),
    ("DELETE", "/ads/{ad}"): (401, 403, 204, 204),
}


async def test_row_08_each_role_may_do_what_it_may(town: Town) -> None:
    people = (None, town.stranger, town.author, town.admin)
    for (method, template), statuses in ROLES.items():
        for person, status in zip(people, statuses, strict=True):
            ad = await town.author.post_ad()
            said = await town.author.post(f"/ads/{ad['pk']}/comments", json={"text": "Hello"})
            path = template.format(ad=ad["pk"], comment=said.json()["pk"])
            options: dict[str, Any] = {}
            if method == "PATCH":
                options = {"json": {"title": "Another table", "text": "Another"}}
            if path.endswith("/image"):
                options = {"files": image_form()}
            before = (await town.admin.get(f"/ads/{ad['pk']}")).json()
            sender = person.request if person else town.client.request
            answer = await sender(method, path, **options)
            assert (method, path, answer.status_code) == (method, path, status)
            if status >= 400:
                assert (await town.admin.get(f"/ads/{ad['pk']}")).json() == before
                assert (await town.client.get(before["image"])).status_code == 200
    answer = await town.client.post("/ads", files=ad_form())
    assert answer.status_code == 401


async def test_row_09_forged_tokens_open_nothing(town: Town) -> None:
    before = await town.state()
    pair = (
        await town.client.post(
            "/login", json={"username": town.author.username, "password": PASSWORD}
        )
    ).json()
    header, claims, signature = pair["access_token"].split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"at+jwt"}').rstrip(b"=").decode()
    deep = base64.urlsafe_b64encode(b'{"alg":' + b"[" * 1500).rstrip(b"=").decode()
    other = "A" if signature[0] != "A" else "B"
    tokens = [
        f"{none}.{claims}.",
        f"{none}.{claims}.{signature}",
        f"{header}.{claims}.{other}{signature[1:]}",
        f"{header}.{claims[:-2]}AA.{signature}",
        f"{deep}.{claims}.{signature}",
        pair["refresh_token"],
        pair["access_token"] + "A" * 50_000,
        "..",
    ]
    for token in tokens:
        for method in ("GET", "DELETE", "PATCH"):
            answer = await town.client.request(
                method, f"/ads/{town.ad['pk']}", headers={"Authorization": f"Bearer {token}"}
            )
            assert answer.status_code == 401, token[:40]
    gone = await register(town.client)
    removed = await gone.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
    assert removed.status_code == 204
    assert (await gone.get("/users/me")).status_code == 401
    assert await town.state() == before


async def test_row_10_no_one_becomes_another_user(town: Town) -> None:
    name = f"mass-{time.monotonic_ns()}@example.com"
    record = {"username": name, "password": PASSWORD}
    answer = await town.client.post("/register", json={**record, "role": "ADMIN"})
    assert answer.status_code == 400
    extra = {"id": 1, "pk": 1, "author": town.admin.id, "email": "x@y.z"}
    answer = await town.client.post("/register", json={**record, **extra, "isAdmin": True})
    assert (answer.status_code, answer.json()["role"], answer.json()["id"] == 1) == (
        201,
        "USER",
        False,
    )
    me = Person(answer.json()["id"], name, "", town.client)
    me.token = await log_in(me)
    profile = await me.patch("/users/me", json={"firstName": "Eve", "role": "ADMIN", **extra})
    assert profile.json()["role"] == "USER"
    assert profile.json()["id"] == me.id
    ad = await me.post_ad(**extra)  # type: ignore[arg-type]
    assert ad["author"] == me.id
    patched = await me.patch(f"/ads/{ad['pk']}", json={"title": "My own table", **extra})
    changed = {"title": "My own table", "updatedAt": patched.json()["updatedAt"]}
    assert patched.json() == {**ad, **changed}
    assert (await me.delete(f"/ads/{town.ad['pk']}")).status_code == 403


async def test_row_11_of_many_registrations_of_a_name_one_succeeds(town: Town) -> None:
    for _ in range(3):
        name = f"Race-{time.monotonic_ns()}@example.com"
        spellings = cycle((name, name.upper(), name.lower()))
        answers = await asyncio.gather(
            *(
                town.client.post(
                    "/register", json={"username": next(spellings), "password": PASSWORD}
                )
                for _ in range(20)
            )
        )
        assert sorted(answer.status_code for answer in answers) == [201, *[409] * 19]


@pytest.mark.alone
async def test_row_12_a_name_cannot_be_guessed_by_the_clock(town: Town) -> None:
    took: dict[str, list[float]] = {"known": [], "unknown": []}
    bodies = set()
    for number in range(times(200, short=60)):
        names = {"known": town.author.username, "unknown": f"nobody-{number}@example.com"}
        # Now the one comes first, now the other.
        for kind, name in sorted(names.items(), reverse=number % 2 == 0):
            began = time.perf_counter()
            answer = await town.client.post(
                "/login", json={"username": name, "password": "a wrong password"}
            )
            took[kind].append(time.perf_counter() - began)
            assert answer.status_code == 401
            bodies.add(json.dumps({**answer.json(), "instance": ""}))
            assert answer.headers["content-length"]
    medians = {kind: statistics.median(values) for kind, values in took.items()}
    ratio = medians["known"] / medians["unknown"]
    measured("row 12: known name to unknown name", ratio, "times")
    assert len(bodies) == 1
    assert 0.9 < ratio < 1.1


@pytest.mark.alone
async def test_row_12_an_imported_account_cannot_be_recognised_by_timing(
    new_service: NewService, database: URL
) -> None:
    service = new_service()
    await service.start()
    names = {}
    engine = create_async_engine(database)
    async with service.client() as client:
        for kind, rounds in (("Argon2id", None), ("bcrypt 12", 12), ("bcrypt 10", 10)):
            person = await register(client)
            names[kind] = person.username
            if rounds is None:
                continue
            async with engine.begin() as connection:
                await connection.execute(
                    text("UPDATE users SET password_hash = :hash WHERE id = :id"),
                    {"hash": BcryptHasher(rounds=rounds).hash(PASSWORD), "id": person.id},
                )
        await engine.dispose()
        took: dict[str, list[float]] = {kind: [] for kind in ("nobody", *names)}
        for number in range(times(60, short=20)):
            kinds = list(took)
            # Each comes at each place of the row as often as the others.
            turn = number % len(kinds)
            for kind in kinds[turn:] + kinds[:turn]:
                name = names.get(kind, f"nobody-{number}@example.com")
                record = {"username": name, "password": "a wrong password"}
                began = time.perf_counter()
                assert (await client.post("/login", json=record)).status_code == 401
                took[kind].append(time.perf_counter() - began)
    medians = {kind: statistics.median(values) for kind, values in took.items()}
    measured("row 12: a name that nobody has", 1000 * medians["nobody"], "ms")
    for kind in names:
        ratio = medians[kind] / medians["nobody"]
        measured(f"row 12: {kind} to a name that nobody has", ratio, "times")
        assert 0.9 < ratio < 1.1, medians


async def test_row_14_what_a_person_loses_is_lost_at_the_next_request(town: Town) -> None:
    # The one asks the database for every request, the other only until its answer is in memory.
    paths = ("/users/me", f"/ads/{town.ad['pk']}")
    changer, leaver = await register(town.client), await register(town.client)
    for person in (changer, leaver):
        for path in paths * 2:
            assert (await person.get(path)).status_code == 200
    record = {"currentPassword": PASSWORD, "newPassword": "another good password"}
    assert (await changer.post("/users/set_password", json=record)).status_code == 200
    assert {(await changer.get(path)).status_code for path in paths} == {401}
    left = await town.client.post("/revoke", data={"token": leaver.token})
    assert left.status_code == 200
    assert {(await leaver.get(path)).status_code for path in paths} == {401}

    helper = await register(town.client)
    await town.service.run("users", "promote", helper.username)
    ad = await town.author.post_ad()
    changed = {"title": "By a helper"}
    assert (await helper.patch(f"/ads/{ad['pk']}", json=changed)).status_code == 200
    await town.service.run("users", "demote", helper.username)
    assert (await helper.patch(f"/ads/{ad['pk']}", json=changed)).status_code == 403


async def test_row_15_a_refresh_token_works_once(town: Town) -> None:
    person = await register(town.client)
    record = {"username": person.username, "password": PASSWORD}
    pair = (await town.client.post("/login", json=record)).json()
    form = {"grant_type": "refresh_token", "refresh_token": pair["refresh_token"]}
    # Opens the connections: otherwise the first use is over while the others wait for theirs.
    await asyncio.gather(*(person.get("/users/me") for _ in range(20)))
    answers = await asyncio.gather(*(town.client.post("/token", data=form) for _ in range(20)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] * 20
    # Uses within ten seconds count as one.
    assert len({answer.text for answer in answers}) == 1
    following = {**form, "refresh_token": answers[0].json()["refresh_token"]}
    fresh = (await town.client.post("/token", data=following)).json()
    # The session has ended with a use after its successor's, for the thief and for the owner.
    assert (await town.client.post("/token", data=form)).status_code == 400
    following["refresh_token"] = fresh["refresh_token"]
    assert (await town.client.post("/token", data=following)).status_code == 400
    bearer = {"Authorization": f"Bearer {fresh['access_token']}"}
    assert (await town.client.get("/users/me", headers=bearer)).status_code == 401
