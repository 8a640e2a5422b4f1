import asyncio
from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import pytest

from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Api, ad_form, image_form, multipart, part
from support.scene.snapshots import snapshot

OPERATIONS = [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("PATCH", "/image")]
# Neither a number of 64 bits nor `me`.
NOT_AN_ID = [
    *("0", "-1", str(2**63), str(10**24), "1_000", "%00", "abc", "01", "+1", "%2B1", "1.0", "1e3"),
    *("%201", "1%20", "1%0A", "%D9%A1", "null", "Me", "ME", "me%20", "%FF", "1" * 5000),
]


def body_for(method: str, rest: str) -> dict[str, Any]:
    if rest:
        return {"files": image_form()}
    return {"json": {"price": 1}} if method == "PATCH" else {}


async def test_an_ad_is_shown_with_its_author_s_contact(api: Api) -> None:
    anna = await api.person(firstName="Anna", lastName="Berg", phone="+49 30 1234567")
    ben = await api.person()
    ad = await anna.post_ad()
    answer = await ben.get(f"/ads/{ad['pk']}")
    assert answer.status_code == 200
    assert answer.json() == {
        "pk": ad["pk"],
        "title": "Oak table",
        "price": 1500,
        "description": "Solid oak, one scratch.",
        "priceType": "fixed",
        "place": None,
        "placeId": None,
        "location": None,
        "locationKind": None,
        "externalId": None,
        "category": None,
        "attributes": {},
        "image": ad["image"],
        "thumbnail": ad["thumbnail"],
        "imageCount": 1,
        "images": answer.json()["images"],
        "createdAt": ad["createdAt"],
        "updatedAt": ad["updatedAt"],
        "author": anna.id,
        "authorFirstName": "Anna",
        "authorLastName": "Berg",
        "email": anna.username,
        "phone": "+49 30 1234567",
        "status": "active",
        "expiresAt": None,
        "soldAt": None,
    }
    head = await ben.request("HEAD", f"/ads/{ad['pk']}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == answer.headers["Content-Length"]


@pytest.mark.heavy
async def test_what_is_no_id_is_refused(api: Api) -> None:
    person = await api.person()
    for (method, rest), ad_id in product(OPERATIONS, NOT_AN_ID):
        answer = await person.request(method, f"/ads/{ad_id}{rest}", **body_for(method, rest))
        assert answer.status_code == 400, (method, rest, ad_id)
        assert [fault["parameter"] for fault in answer.json()["errors"]] == ["id"], ad_id


async def test_what_is_no_id_is_refused_before_the_body_is_read(api: Api) -> None:
    person = await api.person()
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append("")
        yield b"{"

    for rest in ("", "/image"):
        assert (await person.patch(f"/ads/abc{rest}", content=body())).status_code == 400
    assert read == []


async def test_an_ad_that_never_was_is_not_found(api: Api) -> None:
    person = await api.person()
    for (method, rest), ad_id in product(OPERATIONS, (1, 2**31, 2**63 - 1)):
        answer = await person.request(method, f"/ads/{ad_id}{rest}", **body_for(method, rest))
        assert answer.status_code == 404, (method, rest, ad_id)
        assert answer.json()["type"] == "/problems#ad-not-found"


@pytest.mark.parametrize("method", ["PATCH", "DELETE", "PUT", "POST", "OPTIONS", "TRACE"])
async def test_me_is_never_an_id(api: Api, method: str) -> None:
    person = await api.person()
    answer = await person.request(method, "/ads/me", json={"price": 1})
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD"
    assert (await person.patch("/ads/me/image", files=image_form())).status_code == 404


CHANGES: list[dict[str, object]] = [
    {"title": "Pine table"},
    {"price": 0},
    {"description": "Solid pine."},
    {"title": "Pine table", "price": 7, "description": "Solid pine."},
    {"price": 7, "colour": "brown"},
]


@pytest.mark.parametrize("changes", CHANGES)
async def test_members_that_are_absent_stay_as_they_are(
    api: Api, changes: dict[str, object]
) -> None:
    person = await api.person()
    ad = await person.post_ad()
    before = (await person.get("/ads/1")).json()
    answer = await person.patch("/ads/1", json=changes)
    assert answer.status_code == 200
    known = {name: value for name, value in changes.items() if name in PROPERTIES}
    told = answer.json()
    # The record of a listing has no description.
    shown = {name: value for name, value in known.items() if name != "description"}
    assert told == {**ad, **shown, "updatedAt": told["updatedAt"]}
    after = (await person.get("/ads/1")).json()
    assert after == {**before, **known, "updatedAt": told["updatedAt"]}


async def test_a_change_is_answered_with_the_ad_s_record(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    answer = await person.patch("/ads/1", json={"price": "2000", "description": "Solid pine."})
    updated = {"updatedAt": answer.json()["updatedAt"]}
    assert answer.json() == {**ad, "price": 2000, **updated}


async def test_what_an_ad_is_cannot_be_changed(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    ad = await anna.post_ad()
    foreign = {"pk": 9, "id": 9, "author": ben.id, "author_id": ben.id, "image": "x.png"}
    answer = await anna.patch("/ads/1", json={**foreign, "createdAt": 0, "title": "Pine table"})
    updated = {"updatedAt": answer.json()["updatedAt"]}
    assert answer.json() == {**ad, "title": "Pine table", **updated}
    before = await snapshot(api)
    assert (await anna.patch("/ads/1", json=foreign)).status_code == 400
    assert await snapshot(api) == before


@pytest.mark.parametrize(
    ("sent", "pointers"),
    [
        ({}, [""]),
        ([], [""]),
        ("title", [""]),
        ({"colour": "brown"}, ["", "/colour"]),
        ({"title": None}, ["/title"]),
        ({"price": None}, ["/price"]),
        ({"description": None}, ["/description"]),
        ({"title": "abc", "price": True}, ["/title", "/price"]),
        ({"title": "Pine table", "price": -1}, ["/price"]),
        ({"title": "Pine table", "price": 1.5}, ["/price"]),
        ({"description": "a" * 8001}, ["/description"]),
        ({"title": {"$set": "Pine table"}}, ["/title"]),
    ],
)
async def test_a_change_that_is_not_valid_changes_nothing(
    api: Api, sent: object, pointers: list[str]
) -> None:
    person = await api.person()
    await person.post_ad()
    before = await snapshot(api)
    answer = await person.patch("/ads/1", json=sent)
    assert answer.status_code == 400
    assert sorted(fault["pointer"] for fault in answer.json()["errors"]) == sorted(pointers)
    assert await snapshot(api) == before


async def test_only_json_changes_an_ad(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    before = await snapshot(api)
    json = b'{"price": 1}'
    for sent in ({"data": {"price": "1"}}, {"files": ad_form()}, {"content": json}):
        assert (await person.patch("/ads/1", **sent)).status_code == 415
    large = {"price": 1, "padding": "x" * 64 * 1024}
    assert (await person.patch("/ads/1", json=large)).status_code == 413
    assert await snapshot(api) == before


async def test_a_deleted_ad_is_gone_with_its_picture(api: Api) -> None:
    person = await api.person()
    ad, other = await person.post_ad(), await person.post_ad()
    assert (await person.delete("/ads/1")).status_code == 204
    assert list(api.pictures()) == [other["image"].removeprefix("/images/")]
    assert (await api.client.get("/ads")).json()["results"] == [other]
    assert (await api.client.get(ad["image"])).status_code == 404
    for method in ("GET", "DELETE"):
        assert (await person.request(method, "/ads/1")).status_code == 404


async def test_an_id_is_not_given_out_twice(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    await person.delete("/ads/1")
    assert (await person.post_ad())["pk"] == 2


@pytest.mark.parametrize(
    ("picture", "media_type"),
    [(pictures.jpeg, "image/jpeg"), (pictures.png, "image/png"), (pictures.webp, "image/webp")],
)
async def test_a_new_picture_is_answered_as_it_is_served_from_now_on(
    api: Api, picture: Any, media_type: str
) -> None:
    person = await api.person()
    ad = await person.post_ad()
    answer = await person.patch("/ads/1/image", files=image_form(picture(3000, 20)))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == media_type
    changed = (await person.get("/ads/1")).json()
    assert changed["image"] != ad["image"]
    served = await api.client.get(changed["image"])
    assert served.content == answer.content
    assert served.headers["Content-Type"] == media_type
    assert (await api.client.get(ad["image"])).status_code == 404
    assert len(api.pictures()) == 1


async def test_a_new_picture_needs_a_part_of_that_name(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    before = await snapshot(api)
    image = part("image", pictures.jpeg(), filename="a.jpg")
    other = part("picture", pictures.jpeg(), filename="a.jpg")
    for form in (multipart(other), multipart(image, image), multipart()):
        assert (await person.patch("/ads/1/image", **form)).status_code == 400
    others: list[dict[str, Any]]
    others = [{"json": {}}, {"content": pictures.jpeg()}, {"data": {"image": "x"}}]
    for sent in others:
        assert (await person.patch("/ads/1/image", **sent)).status_code == 415
    assert await snapshot(api) == before


@pytest.mark.heavy
async def test_of_many_replacements_at_once_one_picture_is_left(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    answers = await asyncio.gather(
        *(person.patch("/ads/1/image", files=image_form(pictures.png(20 + n))) for n in range(8))
    )
    assert [answer.status_code for answer in answers] == [200] * 8
    served = await api.client.get((await person.get("/ads/1")).json()["image"])
    assert served.content in [answer.content for answer in answers]
    assert list(api.pictures().values()) == [served.content]


@pytest.mark.heavy
async def test_deletion_beats_the_changes_beside_it(api: Api) -> None:
    person = await api.person()
    for number in range(1, 6):
        await person.post_ad()
        path = f"/ads/{number}"
        answers = await asyncio.gather(
            person.patch(f"{path}/image", files=image_form()),
            person.patch(path, json={"price": 7}),
            person.delete(path),
            person.patch(f"{path}/image", files=image_form()),
        )
        assert answers[2].status_code == 204
        assert {answer.status_code for answer in answers} <= {200, 204, 404}
        assert (await person.get(path)).status_code == 404
        assert api.files() == {}
