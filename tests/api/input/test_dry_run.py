"""Dry runs (`validate=true`): the request is validated and changes nothing."""

from typing import Any

import pytest

from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PASSWORD, PROPERTIES, Api
from support.scene.categories import plant
from support.scene.snapshots import snapshot
from support.trouble.faults import JPEG, faults_in, form

CAR = {**PROPERTIES, "category": "cars", "attributes": {"fuel": "diesel"}}


@pytest.mark.heavy
async def test_a_dry_run_stores_nothing(api: Api) -> None:
    await plant(api)
    author = await api.person()
    ad = (await author.post_ad(category="cars", attributes={"fuel": "diesel"}))["pk"]
    comment = (await author.post(f"/ads/{ad}/comments", json={"text": "Mine"})).json()["pk"]
    new = {"username": "berta@example.com", "password": "another horse, staple"}
    accepted: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/ads", form(CAR, JPEG, pictures.png())),
        ("PATCH", f"/ads/{ad}", {"json": {"title": "Walnut", "attributes": {"fuel": "petrol"}}}),
        ("PATCH", f"/ads/{ad}", {"json": {"price": 5}}),
        ("POST", f"/ads/{ad}/comments", {"json": {"text": "Still there?"}}),
        ("PATCH", f"/ads/{ad}/comments/{comment}", {"json": {"text": "Yes"}}),
        ("PATCH", "/users/me", {"json": {"firstName": "Anna"}}),
        ("POST", "/register", {"json": new}),
    ]
    before = await snapshot(api)
    for method, path, sent in accepted:
        answer = await author.request(method, f"{path}?validate=true", **sent)
        assert (answer.status_code, answer.content) == (204, b""), f"{path}: {answer.text}"
        assert "Location" not in answer.headers
    after = await snapshot(api)
    counted = {"rate_limits"}
    assert {name: rows for name, rows in before.rows.items() if name not in counted} == {
        name: rows for name, rows in after.rows.items() if name not in counted
    }
    assert after.files == before.files
    for method, path, sent in accepted:
        if method == "PATCH":
            for tag, status in (((await author.get(path)).headers["ETag"], 204), ('"old"', 412)):
                sent["headers"] = {"If-Match": tag}
                answer = await author.request(method, f"{path}?validate=true", **sent)
                assert answer.status_code == status, path
            del sent["headers"]
    # The same without it, or with `false`, is carried out.
    for method, path, sent in accepted:
        answer = await author.request(method, f"{path}?validate=false", **sent)
        assert answer.status_code in {200, 201}, f"{path}: {answer.text}"


async def test_the_name_of_the_parameter_may_be_quoted(api: Api) -> None:
    person = await api.person()
    answer = await person.patch("/users/me?%76alidate=true", json={"firstName": "Anna"})
    assert answer.status_code == 204
    twice = await person.patch("/users/me?validate=false&validate=true", json={"firstName": "A"})
    assert twice.status_code == 204
    assert (await person.get("/users/me")).json()["firstName"] == ""


async def test_a_dry_run_of_a_registration_checks_name_and_password(api: Api) -> None:
    taken = await api.person()
    sent = {"username": taken.username, "password": PASSWORD}
    answer = await api.client.post("/register?validate=true", json=sent)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems#username-taken")
    weak = {"username": "a", "password": "password", "phone": "x"}
    for query in ("", "?validate=true"):
        answer = await api.client.post(f"/register{query}", json=weak)
        assert faults_in(answer) == [
            ("/username", "wrong-length", None),
            ("/phone", "wrong-format", None),
            ("/password", "weak-password", None),
        ]
    answer = await taken.post(
        "/users/set_password", json={"newPassword": "password", "currentPassword": ""}
    )
    assert faults_in(answer) == [
        ("/currentPassword", "wrong-length", None),
        ("/newPassword", "weak-password", None),
    ]


@pytest.mark.heavy
async def test_a_dry_run_counts_as_a_request(start_api: ApiFactory) -> None:
    limits = {"writes_per_user": 2, "uploads_per_user": 2, "registrations_per_address": 2}
    async with start_api(rate_limits="on", **limits) as api:
        person = await api.person()
        new = {"username": "berta@example.com", "password": "another horse, staple"}
        requests: list[tuple[str, str, dict[str, Any]]] = [
            ("POST", "/ads", form(PROPERTIES, JPEG)),
            ("PATCH", "/users/me", {"json": {"firstName": "Anna"}}),
            ("POST", "/register", {"json": new}),
        ]
        for method, path, sent in requests:
            query = f"{path}?validate=true"
            answers = [await person.request(method, query, **sent) for _ in range(3)]
            assert [answer.status_code for answer in answers] == [204, 204, 429], path
            assert ("RateLimit" in answers[0].headers) is (path != "/register"), path


@pytest.mark.heavy
async def test_a_dry_run_checks_the_quota(start_api: ApiFactory) -> None:
    async with start_api(image_quota_bytes=6000) as api:
        person = await api.person()
        big = pictures.jpeg(900, 900)
        answer = await person.post("/ads?validate=true", **form(PROPERTIES, big, big, big))
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems#quota-exceeded")
        assert api.files() == {}


@pytest.mark.heavy
async def test_a_key_neither_stores_nor_replays_a_dry_run(api: Api) -> None:
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    requests: list[tuple[str, dict[str, Any]]] = [
        ("/ads", form(PROPERTIES, JPEG)),
        (f"/ads/{ad}/comments", {"json": {"text": "Still there?"}}),
        ("/register", {"json": {"username": "berta", "password": "another horse, staple"}}),
    ]
    for path, sent in requests:
        headers = {**sent.pop("headers", {}), "Idempotency-Key": f"key {path}"}
        statuses = []
        for query in ("?validate=true", "", "?validate=true", ""):
            answer = await author.post(f"{path}{query}", headers=headers, **sent)
            statuses.append((answer.status_code, "Idempotent-Replayed" in answer.headers))
        done = 200 if "comments" in path else 201
        taken = 409 if path == "/register" else 204
        assert statuses == [(204, False), (done, False), (taken, False), (done, True)], path
