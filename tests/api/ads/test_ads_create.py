import json
import re
from typing import Any

import httpx2
import pytest

from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Api, ad_form, multipart, part
from support.scene.snapshots import snapshot

JSON = json.dumps(PROPERTIES).encode()
IMAGE_PATH = re.compile(r"/images/[0-9a-f]{32}\.(jpg|png|webp)")


async def test_an_image_named_in_the_properties_is_not_stored(api: Api) -> None:
    person = await api.person()
    sent = json.dumps({**PROPERTIES, "image": "/images/x.png"}).encode()
    answer = await person.post("/ads", **multipart(part("properties", sent), IMAGE))
    assert IMAGE_PATH.fullmatch(answer.json()["image"])


async def test_an_ad_is_answered_with_its_record_and_address(api: Api) -> None:
    person = await api.person()
    answer = await person.post("/ads", files=ad_form())
    assert answer.status_code == 201
    ad = answer.json()
    assert answer.headers["Location"] == f"/ads/{ad['pk']}"
    assert IMAGE_PATH.fullmatch(ad["image"])
    assert ad == {
        "pk": ad["pk"],
        "author": person.id,
        "image": ad["image"],
        "thumbnail": ad["image"].replace(".jpg", "-thumb.webp"),
        "imageCount": 1,
        "priceType": "fixed",
        "place": None,
        "placeId": None,
        "location": None,
        "locationKind": None,
        "price": 1500,
        "title": "Oak table",
        "status": "active",
        "category": None,
        "attributes": {},
        "createdAt": ad["createdAt"],
        "updatedAt": ad["createdAt"],
    }
    detail = (await person.get(answer.headers["Location"])).json()
    assert detail["description"] == PROPERTIES["description"]


IMAGE = part("image", pictures.jpeg(), filename="photo.jpg")
TEXT = part("properties", JSON)
BLOB = part("properties", JSON, filename="blob")
FORMS = {
    "text, then image": [TEXT, IMAGE],
    "image, then text": [IMAGE, TEXT],
    "blob, then image": [BLOB, IMAGE],
    "image, then blob": [IMAGE, BLOB],
    "blob with a type": [(BLOB[0] + "\r\nContent-Type: application/json", JSON), IMAGE],
    "text with a type": [(TEXT[0] + "\r\nContent-Type: text/plain; charset=utf-8", JSON), IMAGE],
    "image with a lying type": [TEXT, (IMAGE[0] + "\r\nContent-Type: text/html", IMAGE[1])],
    "image with a lying name": [TEXT, part("image", IMAGE[1], filename="page.html")],
    "image with a hostile name": [TEXT, part("image", IMAGE[1], filename="../../etc/x.png")],
    "image without a name": [TEXT, part("image", IMAGE[1])],
    "image with an empty name": [TEXT, part("image", IMAGE[1], filename="")],
    "further text parts": [part("a", b"1"), TEXT, part("b", b"2"), IMAGE, part("c", b"\xff\0")],
    "a further file": [TEXT, part("avatar", b"x", filename="x.png"), IMAGE],
}


@pytest.mark.parametrize("form", FORMS)
async def test_properties_and_image_come_in_many_forms(api: Api, form: str) -> None:
    person = await api.person()
    answer = await person.post("/ads", **multipart(*FORMS[form]))
    assert answer.status_code == 201, answer.text
    assert answer.json()["title"] == "Oak table"
    assert list(api.pictures()) == [answer.json()["image"].removeprefix("/images/")]


@pytest.mark.parametrize("boundary", ["b", "x" * 70, "a b'()+_,-./:=?c"])
async def test_every_boundary_of_the_standard_works(api: Api, boundary: str) -> None:
    person = await api.person()
    answer = await person.post("/ads", **multipart(TEXT, IMAGE, boundary=boundary))
    assert answer.status_code == 201


@pytest.mark.heavy
async def test_text_in_any_script_comes_back_as_it_is_seen(api: Api) -> None:
    """One kind of line break, and no marks of direction."""
    person = await api.person()
    title, typed = "Стол 🪑 “dub”", "Ünïcødé\r\n\t木の机 \U0001f600 \u2028\u2066 end\u2069"
    description = "Ünïcødé\n\t木の机 \U0001f600 \n end"
    sent = {"title": title, "price": 1, "description": typed}
    for headers in (TEXT[0], BLOB[0]):
        for escaped in (True, False):
            content = json.dumps(sent, ensure_ascii=escaped).encode()
            answer = await person.post("/ads", **multipart((headers, content), IMAGE))
            detail = (await person.get(answer.headers["Location"])).json()
            assert (detail["title"], detail["description"]) == (title, description)


ACCEPTED: list[tuple[str, object, object]] = [
    ("price", 0, 0),
    ("price", 2**31 - 1, 2**31 - 1),
    ("price", "0", 0),
    ("price", "1500", 1500),
    ("price", "2147483647", 2**31 - 1),
    ("price", "007", 7),
    ("price", "0" * 25 + "15", 15),
    ("price", "0" * 25, 0),
    ("title", "desk", "desk"),
    ("title", "a" * 150, "a" * 150),
    ("title", "  \t desk \n ", "desk"),
    ("title", " " * 1000 + "a" * 150 + " " * 1000, "a" * 150),
    ("title", "\U0001f600" * 150, "\U0001f600" * 150),
    ("description", "a" * 8, "a" * 8),
    ("description", "a" * 8000, "a" * 8000),
    ("pk", 7, None),
    ("author", 7, None),
    ("authorFirstName", "Eve", None),
    ("", {"deep": [1, 2.5, None]}, None),
]


@pytest.mark.parametrize(("member", "value", "stored"), ACCEPTED)
async def test_a_member_within_its_limits_is_stored(
    api: Api, member: str, value: Any, stored: object
) -> None:
    person = await api.person()
    ad = await person.post_ad(**{member: value})
    detail = (await person.get(f"/ads/{ad['pk']}")).json()
    if stored is not None:
        assert detail[member] == stored
    assert detail["authorFirstName"] == ""
    assert (ad["pk"], ad["author"]) == (1, person.id)
    assert IMAGE_PATH.fullmatch(ad["image"])


PRICES: list[object] = [
    *(-1, 2**31, 2**63, 10**30, 1.5, 1500.0, 1e3, True, False, None, [], {}),
    *("", " ", "-1", "+1", "1e3", "1.5", "1_000", "0x10", " 1", "1 ", "2147483648", "NaN"),
    *("٣", "²", "9" * 400, "0" * 25 + "9" * 25),
]
TITLES: list[object] = ["abc", "a" * 151, "   abc   ", "", " " * 10, None, 12345, []]
DESCRIPTIONS: list[object] = ["a" * 7, "a" * 8001, "", None, 12345678, ["a" * 8]]
REFUSED = [
    *(("price", price) for price in PRICES),
    *(("title", title) for title in TITLES),
    *(("description", description) for description in DESCRIPTIONS),
    ("description", " " * 8),
]


@pytest.mark.parametrize(("member", "value"), REFUSED)
async def test_a_member_outside_its_limits_is_refused_by_name(
    api: Api, member: str, value: Any
) -> None:
    person = await api.person()
    answer = await person.post("/ads", files=ad_form(**{member: value}))
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [f"/{member}"]
    found = await snapshot(api)
    assert (found.rows["ads"], found.files) == ([], {})


@pytest.mark.parametrize("member", ["title", "price", "description"])
async def test_every_member_is_needed(api: Api, member: str) -> None:
    person = await api.person()
    sent = json.dumps({name: PROPERTIES[name] for name in PROPERTIES if name != member}).encode()
    answer = await person.post("/ads", **multipart(part("properties", sent), IMAGE))
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [f"/{member}"]
    assert api.files() == {}


BAD_FORMS: dict[str, tuple[list[tuple[str, bytes]], list[str]]] = {
    "no image": ([TEXT], ["image"]),
    "no properties": ([IMAGE], ["properties"]),
    "neither": ([part("a", b"1")], ["image", "properties"]),
    "two properties": ([TEXT, TEXT, IMAGE], ["properties"]),
    "properties as text and as blob": ([TEXT, IMAGE, BLOB], ["properties"]),
    "an image under a like name": ([TEXT, part("Image", IMAGE[1], filename="a.jpg")], ["image"]),
    "an image under a list's name": ([TEXT, part("image[]", IMAGE[1], filename="a")], ["image"]),
}


@pytest.mark.parametrize("form", BAD_FORMS)
async def test_a_part_that_is_missing_or_there_twice_is_named(api: Api, form: str) -> None:
    person = await api.person()
    parts, named = BAD_FORMS[form]
    answer = await person.post("/ads", **multipart(*parts))
    assert answer.status_code == 400
    faults = answer.json()["errors"]
    assert [fault["parameter"] for fault in faults] == [fault["part"] for fault in faults] == named
    found = await snapshot(api)
    assert (found.rows["ads"], found.files) == ([], {})


@pytest.mark.parametrize(
    "sent", ["", "{", "[]", '"x"', "null", "{}", "title=Oak+table", "\ufeff{}"]
)
@pytest.mark.parametrize("parameters", [{}, {"filename": "blob"}])
async def test_properties_that_are_no_record_are_refused(
    api: Api, sent: str, parameters: dict[str, str]
) -> None:
    person = await api.person()
    form = multipart(part("properties", sent.encode(), **parameters), IMAGE)
    answer = await person.post("/ads", **form)
    assert answer.status_code == 400
    assert api.files() == {}


async def test_properties_are_validated_before_the_image(api: Api) -> None:
    person = await api.person()
    answer = await person.post("/ads", files=ad_form(price=-1, image=b"not an image"))
    assert answer.status_code == 400


@pytest.mark.parametrize("media_type", [None, "application/json", "text/plain", "multipart/mixed"])
async def test_only_a_form_is_read(api: Api, media_type: str | None) -> None:
    person = await api.person()
    form = multipart(TEXT, IMAGE)
    headers = {"Content-Type": media_type} if media_type else {}
    answer = await person.post("/ads", content=form["content"], headers=headers)
    assert answer.status_code == 415
    assert api.files() == {}


@pytest.mark.parametrize("authorization", [None, "Basic YTpi", "Bearer", "Bearer ", "bearer x"])
async def test_a_stranger_to_the_service_cannot_post(
    client: httpx2.AsyncClient, authorization: str | None
) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = await client.post("/ads", files=ad_form(), headers=headers)
    assert answer.status_code == 401
    of_token = (authorization or "").lower().startswith("bearer")
    told = ', error="invalid_token"' if of_token else ""
    assert answer.headers["WWW-Authenticate"] == f'Bearer realm="adsvc"{told}'


async def test_an_anonymous_upload_is_refused_before_it_is_read(api: Api) -> None:
    read: list[int] = []

    async def body() -> Any:
        for number in range(100):
            read.append(number)
            yield b"x" * 65536

    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    for method, path in (("POST", "/ads"), ("PATCH", "/ads/1/image"), ("PATCH", "/ads/1")):
        answer = await api.client.request(method, path, content=body(), headers=headers)
        assert answer.status_code == 401
    assert read == []
