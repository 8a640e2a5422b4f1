"""Everything that is wrong with a request is told at once, each fault with its place and code."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PASSWORD, PROPERTIES, Api, Person, image_form, multipart, part
from support.scene.categories import plant
from support.scene.snapshots import snapshot

JPEG = pictures.jpeg()
# It begins like a picture.
BROKEN = JPEG[:200]
PDF = b"%PDF-1.7 and more"
UNKNOWN_CATEGORY = {**PROPERTIES, "category": "none"}
CAR = {**PROPERTIES, "category": "cars", "attributes": {"fuel": "diesel"}}


def picture(content: bytes) -> tuple[str, bytes]:
    return part("image", content, filename="photo.jpg")


def form(properties: object, *images: bytes) -> dict[str, Any]:
    sent = properties if isinstance(properties, bytes) else json.dumps(properties).encode()
    return multipart(part("properties", sent), *map(picture, images))


def told(answer: httpx.Response) -> list[tuple[str, str, str | None]]:
    """Place, code and part of each fault."""
    assert answer.status_code == 400, answer.text
    assert answer.json()["type"] in {"/problems#invalid-request", "/problems#invalid-image"}
    return [
        (fault.get("parameter", fault.get("pointer")), fault["code"], fault.get("part"))
        for fault in answer.json()["errors"]
    ]


def of_properties(*faults: tuple[str, str]) -> list[tuple[str, str, str | None]]:
    return [(pointer, code, "properties") for pointer, code in faults]


IMAGE_UNUSABLE = ("image", "unusable-image", "image")


async def test_query_form_json_category_and_pictures_are_told_together(api: Api) -> None:
    await plant(api)
    person = await api.person()
    bad = {"title": "x", "price": -1, "category": "cars", "attributes": {"fuel": "gas", "model": 5}}
    answer = await person.post("/ads?validate=perhaps", **form(bad, JPEG, BROKEN, PDF))
    assert told(answer) == [
        ("validate", "wrong-type", None),
        *of_properties(
            ("/title", "wrong-length"),
            ("/price", "out-of-range"),
            ("/description", "missing"),
            ("/attributes/fuel", "not-an-option"),
            ("/attributes/model", "wrong-type"),
        ),
        IMAGE_UNUSABLE,
        IMAGE_UNUSABLE,
    ]
    found = answer.json()["errors"]
    assert [fault.get("number") for fault in found[-2:]] == [2, 3]
    assert (found[1]["minLength"], found[1]["maxLength"]) == (4, 150)
    assert (found[2]["minimum"], found[2]["maximum"]) == (0, 2**31 - 1)
    assert found[4]["options"] == ["diesel", "petrol"]
    assert api.files() == {}


async def test_what_can_be_judged_of_a_form_is_judged(api: Api) -> None:
    await plant(api)
    person = await api.person()
    bad = part("properties", json.dumps({**CAR, "title": "x"}).encode())
    cases: list[tuple[dict[str, Any], list[tuple[str, str, str | None]]]] = [
        (
            multipart(bad),
            [("image", "missing", "image"), *of_properties(("/title", "wrong-length"))],
        ),
        (multipart(picture(BROKEN)), [("properties", "missing", "properties"), IMAGE_UNUSABLE]),
        (
            multipart(bad, bad, picture(BROKEN)),
            [("properties", "wrong-count", "properties"), IMAGE_UNUSABLE],
        ),
        (form(b"{", BROKEN), [*of_properties(("", "malformed")), IMAGE_UNUSABLE]),
        (form([], BROKEN), [*of_properties(("", "wrong-type")), IMAGE_UNUSABLE]),
        (form(CAR, BROKEN), [IMAGE_UNUSABLE]),
        (form(CAR, BROKEN, PDF), [IMAGE_UNUSABLE, IMAGE_UNUSABLE]),
        (
            form({**CAR, "attributes": {}}, PDF),
            [*of_properties(("/attributes/fuel", "missing")), IMAGE_UNUSABLE],
        ),
        (form(UNKNOWN_CATEGORY, JPEG), of_properties(("/category", "unknown"))),
        # Where the category is at fault, nobody knows what the attributes would have to be.
        (
            form({**CAR, "category": 5, "attributes": {"fuel": "gas"}}, JPEG),
            of_properties(("/category", "wrong-type")),
        ),
        (form({**CAR, "attributes": []}, JPEG), of_properties(("/attributes", "wrong-type"))),
    ]
    for number, (sent, expected) in enumerate(cases):
        for query in ("", "?validate=true"):
            assert told(await person.post(f"/ads{query}", **sent)) == expected, number
    assert api.files() == {}
    assert (await snapshot(api)).rows["ads"] == []


async def test_a_kind_that_is_not_taken_is_415_where_nothing_else_is_wrong(api: Api) -> None:
    person = await api.person()
    for sent in (form(PROPERTIES, PDF), form(PROPERTIES, JPEG, PDF, PDF)):
        for query in ("", "?validate=true"):
            answer = await person.post(f"/ads{query}", **sent)
            assert answer.status_code == 415, query
            assert answer.json()["type"] == "/problems#unsupported-image"
    assert api.files() == {}


async def test_a_form_that_cannot_be_read_is_at_fault_as_a_whole(api: Api) -> None:
    person = await api.person()
    sent = form(PROPERTIES, JPEG)
    sent["content"] = sent["content"][:-20]
    answer = await person.post("/ads?validate=x", **sent)
    assert told(answer) == [("validate", "wrong-type", None), ("", "malformed", None)]


async def test_a_change_tells_its_query_its_members_and_its_attributes_together(api: Api) -> None:
    await plant(api)
    person = await api.person()
    ad = await person.post_ad(category="cars", attributes={"fuel": "diesel"})
    path = f"/ads/{ad['pk']}"
    sent = {"title": "x", "attributes": {"fuel": None, "parking": "yes"}}
    answer = await person.patch(f"{path}?validate=1", json=sent)
    query, title, *attributes = told(answer)
    assert query == ("validate", "wrong-type", None)
    assert title == ("/title", "wrong-length", None)
    assert sorted(attributes) == [
        ("/attributes/fuel", "missing", None),
        ("/attributes/parking", "wrong-type", None),
    ]
    assert told(await person.patch(path, json={"title": "x", "category": "none"})) == [
        ("/title", "wrong-length", None),
        ("/category", "unknown", None),
    ]
    # Only a wrong value of `validate`: nothing is changed all the same.
    before = await snapshot(api)
    answer = await person.patch(f"{path}?validate=", json={"title": "Walnut table"})
    assert told(answer) == [("validate", "wrong-type", None)]
    wrong = await person.patch(f"{path}?validate=", json={"attributes": {"fuel": "gas"}})
    assert [code for _, code, _ in told(wrong)] == ["wrong-type", "not-an-option"]
    after = await snapshot(api)
    assert before.rows["ads"] == after.rows["ads"]


async def test_a_query_tells_all_its_parameters_together(api: Api) -> None:
    await plant(api)
    query = (
        "limit=0&minPrice=-1&maxPrice=x&q=" + "a" * 300 + "&sort=distance&radius=5&bbox=1,2,3,1"
        "&category=none&attr=fuel&attr=colour:red&attr=mileage:..50000&priceType=cheap"
    )
    expected = {
        ("minPrice", "out-of-range"),
        ("maxPrice", "wrong-type"),
        ("priceType", "not-an-option"),
        ("q", "wrong-length"),
        ("category", "unknown"),
        ("attr", "wrong-format"),
        ("attr", "unknown"),
        ("radius", "inconsistent"),
        ("bbox", "inconsistent"),
    }
    paged = {("sort", "inconsistent"), ("limit", "out-of-range")}
    for path, extra in (("/ads", paged), ("/ads/facets", set())):
        answer = await api.client.get(f"{path}?{query}")
        found = told(answer)
        assert len(found) == len(expected | extra), path
        assert {(place, code) for place, code, _ in found} == expected | extra, path
        numbers = [f["number"] for f in answer.json()["errors"] if f.get("parameter") == "attr"]
        assert sorted(numbers) == [1, 2]
    person = await api.person()
    own = await person.get("/ads/me?status=lost&limit=x&cursor=y")
    assert told(own) == [("status", "not-an-option", None), ("limit", "wrong-type", None)]
    assert told(await api.client.get("/ads?sort=relevance&limit=1001")) == [
        ("sort", "inconsistent", None),
        ("limit", "out-of-range", None),
    ]


async def test_who_may_not_is_told_that_before_any_fault(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ad = (await author.post_ad())["pk"]
    comment = (await author.post(f"/ads/{ad}/comments", json={"text": "Mine"})).json()["pk"]
    bad: dict[str, Any] = {"json": {"title": "x", "text": 5}}
    for query in ("", "?validate=true", "?validate=x"):
        for path in (f"/ads/{ad}", f"/ads/{ad}/comments/{comment}"):
            assert (await other.patch(f"{path}{query}", **bad)).status_code == 403, path
            assert (await api.client.patch(f"{path}{query}", **bad)).status_code == 401, path
        assert (await author.patch(f"/ads/99{query}", **bad)).status_code == 404
        assert (await author.post(f"/ads/99/comments{query}", **bad)).status_code == 404
        assert (await api.client.post(f"/ads{query}", **form({}, PDF))).status_code == 401
        assert (await api.client.patch(f"/users/me{query}", **bad)).status_code == 401


async def test_what_is_only_judged_is_not_stored(api: Api) -> None:
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


async def test_a_registration_is_judged_with_the_name_and_the_password(api: Api) -> None:
    taken = await api.person()
    sent = {"username": taken.username, "password": PASSWORD}
    answer = await api.client.post("/register?validate=true", json=sent)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems#username-taken")
    weak = {"username": "a", "password": "password", "phone": "x"}
    for query in ("", "?validate=true"):
        answer = await api.client.post(f"/register{query}", json=weak)
        assert told(answer) == [
            ("/username", "wrong-length", None),
            ("/phone", "wrong-format", None),
            ("/password", "weak-password", None),
        ]
    answer = await taken.post(
        "/users/set_password", json={"newPassword": "password", "currentPassword": ""}
    )
    assert told(answer) == [
        ("/currentPassword", "wrong-length", None),
        ("/newPassword", "weak-password", None),
    ]


async def test_judging_counts_as_doing(start_api: ApiFactory) -> None:
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


async def test_a_quota_is_part_of_the_judgement(start_api: ApiFactory) -> None:
    async with start_api(image_quota_bytes=6000) as api:
        person = await api.person()
        big = pictures.jpeg(900, 900)
        answer = await person.post("/ads?validate=true", **form(PROPERTIES, big, big, big))
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems#quota-exceeded")
        assert api.files() == {}


async def test_a_category_that_every_ad_needs_is_told_with_the_rest(start_api: ApiFactory) -> None:
    async with start_api(category_required=True) as api:
        person = await api.person()
        for sent, expected in (
            ({**PROPERTIES, "title": "x"}, ["/title", "/category"]),
            ({**PROPERTIES, "category": 5}, ["/category"]),
            (PROPERTIES, ["/category"]),
            (b"{", [""]),
        ):
            for query in ("", "?validate=true"):
                answer = await person.post(f"/ads{query}", **form(sent, JPEG))
                assert [place for place, _, _ in told(answer)] == expected, sent


async def test_a_token_that_does_not_count_is_told_apart_from_none(api: Api) -> None:
    ad = (await (await api.person()).post_ad())["pk"]
    ended: Person = await api.person()
    await ended.delete("/users/me/sessions/" + str(await _session(ended)))
    plain, invalid = 'Bearer realm="adsvc"', 'Bearer realm="adsvc", error="invalid_token"'
    sent = {
        None: plain,
        "Bearer nonsense": invalid,
        "bearer  ": invalid,
        f"Bearer {ended.token}": invalid,
        # Another scheme is none that is taken, and no token.
        "Basic YTpi": plain,
        "nonsense": plain,
    }
    for authorization, challenge in sent.items():
        headers = {} if authorization is None else {"Authorization": authorization}
        answers = await asyncio.gather(
            api.client.get(f"/ads/{ad}", headers=headers),
            api.client.get("/ads/me", headers=headers),
            api.client.get("/users/me", headers=headers),
            api.client.patch(f"/ads/{ad}", headers=headers, json={"price": 1}),
            api.client.post(f"/ads/{ad}/comments", headers=headers, json={"text": "x"}),
            api.client.post(f"/ads/{ad}/publish", headers=headers),
            api.client.patch(f"/ads/{ad}/image", headers=headers, files=image_form()),
        )
        for answer in answers:
            found = (answer.status_code, answer.headers["WWW-Authenticate"])
            assert found == (401, challenge), (authorization, answer.request.url)
    wrong = await api.client.post("/login", json={"username": "nobody", "password": "wrong"})
    assert wrong.headers["WWW-Authenticate"] == plain


async def _session(person: Person) -> int:
    found: int = (await person.get("/users/me/sessions")).json()["results"][0]["id"]
    return found


async def test_the_answer_to_a_new_first_picture_says_where_it_is(api: Api) -> None:
    person = await api.person()
    ad = (await person.post_ad())["pk"]
    answer = await person.patch(f"/ads/{ad}/image", files=image_form())
    place = answer.headers["Content-Location"]
    assert (await person.get(f"/ads/{ad}")).json()["image"] == place
    assert (await api.client.get(place)).content == answer.content


@pytest.mark.parametrize("query", ["", "?validate=true"])
async def test_what_was_sent_is_never_told(api: Api, query: str) -> None:
    person = await api.person()
    canary = "canary-7f3c4f0e"
    bad = {"title": canary * 50, "price": canary, "category": canary * 9, canary: canary}
    for sent in (form(bad, canary.encode()), form(canary.encode(), canary.encode())):
        answer = await person.post(f"/ads{query}", **sent)
        assert answer.status_code == 400
        assert canary not in answer.text
    assert canary not in (await person.patch(f"/users/me?validate={canary}", json={})).text


async def test_a_key_neither_keeps_nor_gives_again_what_is_only_judged(api: Api) -> None:
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
