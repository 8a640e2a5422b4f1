import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from support.pictures import samples as pictures
from support.pictures.hostile import HOSTILE
from support.scene.api import PASSWORD, Api, Person, image_form
from support.scene.snapshots import snapshot

MEMBERS = {"firstName": "Anna", "lastName": "Berg", "phone": "+49 30 1234567"}


@pytest.fixture
async def person(api: Api) -> AsyncIterator[Person]:
    """Beside another user, whom nothing here may change."""
    other = await api.person("other@example.com", **MEMBERS)
    before = await _row(api, other)
    yield await api.person("Anna@Example.com", **MEMBERS)
    assert await _row(api, other) == before


async def _row(api: Api, person: Person) -> list[str]:
    row: list[str] = await api.sql("SELECT u::text FROM users u WHERE id = :id", id=person.id)
    return row


def profile(person: Person, **changes: object) -> dict[str, object]:
    record = {"id": person.id, "email": person.username, **MEMBERS, "role": "USER", "image": None}
    record |= {"mail": None, "mailVerified": False, "totp": False, "recoveryCodesLeft": 0}
    record |= {"storageUsed": 0, "storageQuota": 1024**3}
    return {**record, **changes}


async def test_a_user_sees_their_profile(person: Person) -> None:
    answer = await person.get("/users/me")
    assert answer.status_code == 200
    # No member is called username or password: a known client merges this over its credentials.
    assert answer.json() == profile(person)


@pytest.mark.parametrize(
    "changes",
    [
        {"firstName": "Änne"},
        {"lastName": "O'Neill-Núñez 李"},
        {"phone": "(030) 123-45 67"},
        {"firstName": "", "lastName": "", "phone": ""},
        {"firstName": "a" * 64, "lastName": "b" * 64, "phone": "123456789012345"},
        {"phone": "1    " + " " * 23 + "2345"},
    ],
)
async def test_members_that_are_absent_stay_as_they_are(
    person: Person, changes: dict[str, str]
) -> None:
    answer = await person.patch("/users/me", json=changes)
    assert answer.status_code == 200
    assert answer.json() == profile(person, **changes)
    assert (await person.get("/users/me")).json() == profile(person, **changes)


async def test_no_break_spaces_in_a_phone_number_are_spaces(person: Person) -> None:
    changes = {"phone": "+49\u00a030\u202f123\u20074567"}
    answer = await person.patch("/users/me", json=changes)
    assert answer.json() == profile(person, phone="+49 30 123 4567")


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({}, [""]),
        ({"unknown": 1}, ["", "/unknown"]),
        ([], [""]),
        ("text", [""]),
        ({"firstName": None}, ["/firstName"]),
        ({"lastName": None, "phone": None}, ["/lastName", "/phone"]),
        ({"firstName": "a" * 65}, ["/firstName"]),
        ({"lastName": "b" * 65, "firstName": "fine"}, ["/lastName"]),
        ({"firstName": 1}, ["/firstName"]),
        ({"phone": "1234"}, ["/phone"]),
        ({"phone": "1 2 3"}, ["/phone"]),
        ({"phone": "1" * 16}, ["/phone"]),
        ({"phone": "1234" + " " * 26 + "567"}, ["/phone"]),
        ({"phone": "call me"}, ["/phone"]),
        ({"phone": "+49 1"}, ["/phone"]),
        ({"phone": "+999 30 1234567"}, ["/phone"]),
        ({"phone": "030/123456 ext. 7"}, ["/phone"]),
    ],
)
async def test_a_bad_change_is_refused_by_name_and_changes_nothing(
    api: Api, person: Person, changes: Any, pointers: list[str]
) -> None:
    before = await snapshot(api)
    answer = await person.patch("/users/me", json=changes)
    assert answer.status_code == 400
    assert [fault.get("pointer", "") for fault in answer.json()["errors"]] == pointers
    assert await snapshot(api) == before


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"firstName":"a","firstName":"b"}', b'{"firstName":"\\u0000"}', b"\xff",
     b'{"firstName":"\\ud800"}', b'{"firstName":NaN}'],
)  # fmt: skip
async def test_what_is_not_json_is_refused(api: Api, person: Person, body: bytes) -> None:
    before = await snapshot(api)
    headers = {"Content-Type": "application/json"}
    answer = await person.patch("/users/me", content=body, headers=headers)
    assert answer.status_code == 400
    assert await snapshot(api) == before


async def test_other_media_types_and_sizes_are_refused(person: Person) -> None:
    assert (await person.patch("/users/me", data={"firstName": "a"})).status_code == 415
    answer = await person.patch("/users/me", json={"firstName": "a" * 70_000})
    assert answer.status_code == 413


async def test_unknown_members_give_no_rights(api: Api, person: Person) -> None:
    stolen = {
        "id": 1, "role": "ADMIN", "username": "root", "email": "root", "image": "/images/x.jpg",
        "password": "stolen password", "passwordHash": "x", "password_hash": "x",
        "username_key": "root", "first_name": "snake", "createdAt": 0,
    }  # fmt: skip
    answer = await person.patch("/users/me", json={"firstName": "New", **stolen})
    assert answer.status_code == 200
    assert answer.json() == profile(person, firstName="New")
    await api.log_in(person.username, PASSWORD)
    assert await api.sql("SELECT DISTINCT role FROM users") == ["USER"]


@pytest.mark.heavy
async def test_the_avatar_is_public_and_takes_the_place_of_the_old_one(
    api: Api, person: Person
) -> None:
    paths = []
    for image in (pictures.jpeg(), pictures.png(), pictures.webp()):
        answer = await person.patch("/users/me/image", files=image_form(image))
        assert answer.status_code == 200
        path = answer.json()["image"]
        taken = len(api.files()[path.rpartition("/")[2]])
        assert answer.json() == profile(person, image=path, storageUsed=taken)
        assert (await person.get("/users/me")).json()["image"] == path
        served = await api.client.get(path)
        assert served.status_code == 200
        assert served.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert list(api.files()) == [path.rpartition("/")[2]]
        paths.append(path)
    assert len(set(paths)) == 3
    assert [(await api.client.get(path)).status_code for path in paths] == [404, 404, 200]


async def test_an_avatar_loses_its_metadata(api: Api, person: Person) -> None:
    image = pictures.jpeg(exif_orientation=6, gps=True, comment=pictures.SECRET)
    assert (await person.patch("/users/me/image", files=image_form(image))).status_code == 200
    (stored,) = api.files().values()
    assert pictures.SECRET not in stored
    assert b"Exif" not in stored


@pytest.mark.heavy
async def test_a_hostile_avatar_is_refused_and_the_old_one_stays(api: Api, person: Person) -> None:
    await person.patch("/users/me/image", files=image_form())
    before = await snapshot(api)
    for name, hostile in HOSTILE.items():
        answer = await person.patch("/users/me/image", files=image_form(hostile.make()))
        assert answer.status_code in {400, 413, 415}, name
        assert api.files() == before.files, name
    assert await snapshot(api) == before


async def test_an_avatar_that_is_missing_or_too_large_is_refused(api: Api, person: Person) -> None:
    image = ("a.jpg", pictures.jpeg(), "image/jpeg")
    large = ("a.jpg", pictures.jpeg() + b"\0" * 10 * 1024 * 1024, "image/jpeg")
    for files, status in (
        ([("picture", image)], 400),
        ([("image", image), ("image", image)], 400),
        ([("image", large)], 413),
    ):
        assert (await person.patch("/users/me/image", files=files)).status_code == status
    assert (await person.patch("/users/me/image", json={})).status_code == 415
    assert api.files() == {}


@pytest.mark.heavy
async def test_of_many_avatars_at_once_one_stays_with_its_file(api: Api, person: Person) -> None:
    answers = await asyncio.gather(
        *(person.patch("/users/me/image", files=image_form()) for _ in range(5))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert [f"/images/{name}" for name in api.files()] == [
        (await person.get("/users/me")).json()["image"]
    ]
