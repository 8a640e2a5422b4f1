"""All errors of a request are listed at once, each with its place and code."""

import asyncio
import json
from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import PROPERTIES, Api, Person, image_form, multipart, part
from support.scene.categories import plant
from support.scene.snapshots import snapshot
from support.trouble.faults import JPEG, faults_in, form, of_properties, picture

# It begins like a picture.
BROKEN = JPEG[:200]

PDF = b"%PDF-1.7 and more"

UNKNOWN_CATEGORY = {**PROPERTIES, "category": "none"}

CAR = {**PROPERTIES, "category": "cars", "attributes": {"fuel": "diesel"}}

IMAGE_UNUSABLE = ("image", "unusable-image", "image")


async def test_errors_of_query_form_json_category_and_pictures_are_listed_together(
    api: Api,
) -> None:
    await plant(api)
    person = await api.person()
    bad = {"title": "x", "price": -1, "category": "cars", "attributes": {"fuel": "gas", "model": 5}}
    answer = await person.post("/ads?validate=perhaps", **form(bad, JPEG, BROKEN, PDF))
    assert faults_in(answer) == [
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


@pytest.mark.heavy
async def test_a_form_is_validated_as_far_as_possible(api: Api) -> None:
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
        # Without a valid category, the attributes cannot be validated.
        (
            form({**CAR, "category": 5, "attributes": {"fuel": "gas"}}, JPEG),
            of_properties(("/category", "wrong-type")),
        ),
        (form({**CAR, "attributes": []}, JPEG), of_properties(("/attributes", "wrong-type"))),
    ]
    for number, (sent, expected) in enumerate(cases):
        for query in ("", "?validate=true"):
            assert faults_in(await person.post(f"/ads{query}", **sent)) == expected, number
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
    assert faults_in(answer) == [("validate", "wrong-type", None), ("", "malformed", None)]


@pytest.mark.heavy
async def test_a_change_lists_errors_of_query_members_and_attributes_together(api: Api) -> None:
    await plant(api)
    person = await api.person()
    ad = await person.post_ad(category="cars", attributes={"fuel": "diesel"})
    path = f"/ads/{ad['pk']}"
    sent = {"title": "x", "attributes": {"fuel": None, "parking": "yes"}}
    answer = await person.patch(f"{path}?validate=1", json=sent)
    query, title, *attributes = faults_in(answer)
    assert query == ("validate", "wrong-type", None)
    assert title == ("/title", "wrong-length", None)
    assert sorted(attributes) == [
        ("/attributes/fuel", "missing", None),
        ("/attributes/parking", "wrong-type", None),
    ]
    assert faults_in(await person.patch(path, json={"title": "x", "category": "none"})) == [
        ("/title", "wrong-length", None),
        ("/category", "unknown", None),
    ]
    # Only a wrong value of `validate`: nothing is changed all the same.
    before = await snapshot(api)
    answer = await person.patch(f"{path}?validate=", json={"title": "Walnut table"})
    assert faults_in(answer) == [("validate", "wrong-type", None)]
    wrong = await person.patch(f"{path}?validate=", json={"attributes": {"fuel": "gas"}})
    assert [code for _, code, _ in faults_in(wrong)] == ["wrong-type", "not-an-option"]
    after = await snapshot(api)
    assert before.rows["ads"] == after.rows["ads"]


async def test_a_query_lists_errors_of_all_its_parameters_together(api: Api) -> None:
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
        found = faults_in(answer)
        assert len(found) == len(expected | extra), path
        assert {(place, code) for place, code, _ in found} == expected | extra, path
        numbers = [f["number"] for f in answer.json()["errors"] if f.get("parameter") == "attr"]
        assert sorted(numbers) == [1, 2]
    person = await api.person()
    own = await person.get("/ads/me?status=lost&limit=x&cursor=y")
    assert faults_in(own) == [("status", "not-an-option", None), ("limit", "wrong-type", None)]
    assert faults_in(await api.client.get("/ads?sort=relevance&limit=1001")) == [
        ("sort", "inconsistent", None),
        ("limit", "out-of-range", None),
    ]


async def test_a_missing_right_is_reported_before_any_error(api: Api) -> None:
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


@pytest.mark.heavy
async def test_a_missing_required_category_is_listed_with_the_other_errors(
    start_api: ApiFactory,
) -> None:
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
                assert [place for place, _, _ in faults_in(answer)] == expected, sent


async def test_an_invalid_token_is_distinguished_from_none(api: Api) -> None:
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


@pytest.mark.parametrize("query", ["", "?validate=true"])
async def test_what_was_sent_is_never_repeated(api: Api, query: str) -> None:
    person = await api.person()
    canary = "canary-7f3c4f0e"
    bad = {"title": canary * 50, "price": canary, "category": canary * 9, canary: canary}
    for sent in (form(bad, canary.encode()), form(canary.encode(), canary.encode())):
        answer = await person.post(f"/ads{query}", **sent)
        assert answer.status_code == 400
        assert canary not in answer.text
    assert canary not in (await person.patch(f"/users/me?validate={canary}", json={})).text
