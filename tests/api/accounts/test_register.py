import asyncio
import json
from random import Random
from typing import Any

import httpx2
import pytest

from adsvc.limits import USERNAME_LARGEST
from conftest import CURRENT, ApiFactory
from support.scene.api import PASSWORD, Api, in_pieces
from support.scene.snapshots import snapshot

ANNA = {
    "username": "Anna@example.com",
    "password": PASSWORD,
    "firstName": "Anna",
    "lastName": "Berg",
    "phone": "+49 30 1234567",
    "role": "USER",
}
KIBIBYTE = 1024

ACCEPTED: list[tuple[str, object]] = [
    ("username", "anna"),
    ("username", "a" * 254),
    ("username", "Ünal Öz"),
    ("username", "Анна Берг"),
    ("username", "иван@example.com"),
    ("username", "דוד כהן"),
    ("username", "名前さくら"),
    ("username", "o'neil+ads@example.co.uk"),
    ("username", "ａｎｎａ"),
    ("password", "2 horses"),
    ("password", "\U0001f600\U0001f601\U0001f603" * 42),
    ("password", "anna and the correct horse"),
    ("firstName", ""),
    ("firstName", "\U0001f600" * 64),
    ("lastName", "a" * 64),
    ("phone", ""),
    ("phone", "12345"),
    ("phone", "(0) 12-34+5"),
    ("phone", "0123456789 " + " " * 16 + "01234"),
    ("role", "USER"),
]
REFUSED: list[tuple[str, object]] = [
    ("username", "abc"),
    ("username", "a" * 255),
    ("username", ""),
    ("username", None),
    ("username", 12345),
    ("username", ["anna"]),
    ("username", {"$ne": ""}),
    ("password", "1234567"),
    ("password", "p1!" * 43),
    ("password", None),
    ("password", 12345678),
    ("firstName", "a" * 65),
    ("firstName", None),
    ("firstName", True),
    ("lastName", "a" * 65),
    ("lastName", None),
    ("phone", "1234"),
    ("phone", "123 4"),
    ("phone", "0123456789012345"),
    ("phone", "0123456789 " + " " * 17 + "01234"),
    ("phone", "+-() +-()"),
    ("phone", "12345 ext"),
    ("phone", None),
    ("phone", 12345),
    ("role", "ADMIN"),
    ("role", "admin"),
    ("role", "user"),
    ("role", ""),
    ("role", None),
    ("role", ["USER"]),
]


async def test_a_new_account_is_answered_with_its_record_and_address(
    client: httpx2.AsyncClient,
) -> None:
    answer = await client.post("/register", json=ANNA)
    assert answer.status_code == 201
    assert answer.headers["Location"] == "/users/me"
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {
        "id": 1,
        "email": "Anna@example.com",
        "firstName": "Anna",
        "lastName": "Berg",
        "phone": "+49 30 1234567",
        "role": "USER",
        "image": None,
        "mail": "Anna@example.com",
        "mailVerified": False,
        "totp": False,
        "recoveryCodesLeft": 0,
        "storageUsed": 0,
        "storageQuota": 1024**3,
    }


async def test_names_and_phone_may_be_left_out(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/register", json={"username": "anna", "password": PASSWORD})
    assert answer.status_code == 201
    record = answer.json()
    assert (record["firstName"], record["lastName"], record["phone"]) == ("", "", "")


@pytest.mark.parametrize(("member", "value"), ACCEPTED)
async def test_a_member_within_its_limits_is_accepted(api: Api, member: str, value: object) -> None:
    sent: dict[str, Any] = {**ANNA, member: value}
    answer = await api.client.post("/register", json=sent)
    assert answer.status_code == 201, answer.text
    stored = {**answer.json(), "username": answer.json()["email"], "password": value}
    assert stored[member] == value
    await api.log_in(sent["username"], sent["password"])


@pytest.mark.parametrize(("member", "value"), REFUSED)
async def test_a_member_outside_its_limits_is_refused_by_name(
    api: Api, member: str, value: object
) -> None:
    answer = await api.client.post("/register", json={**ANNA, member: value})
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [f"/{member}"]
    assert (await snapshot(api)).rows["users"] == []


LOOK_ALIKES = {
    "zero width space": "anna\u200b@example.com",
    "soft hyphen": "an\u00adna@example.com",
    "word joiner": "anna\u2060@example.com",
    "grapheme joiner": "anna\u034f@example.com",
    "zero width joiner": "\u0915\u094d\u200d\u0937\u0915\u094d",
    "Hangul filler": "anna\u3164@example.com",
    "variation selector": "anna\ufe0f@example.com",
    "no-break space": "anna\u00a0berg",
    "two spaces": "anna  berg",
    "right to left override": "an\u202ena@example.com",
    "isolate": "an\u2066na\u2069@example.com",
    "both directions": "anna דוד",
    "Cyrillic letter": "\u0430nna@example.com",
    "Greek letter in the domain": "anna@ex\u03b1mple.com",
    "letters that are one sign": "Ⅻ ﬁne",
    "emoji": "anna\U0001f600",
    "unassigned": "anna\u0378",
    "private": "anna\ue000",
    "newline": "anna\n2\tADMIN\troot",
    "escape sequence": "anna\x1b[2J",
    "C1 control": "anna\x9b2J",
    "line separator": "anna\u2028berg",
}


SURROUNDED = [" {}", "{} ", "\u202a{}\u202c", "\ufeff{}", "{}\u200b\n", "\u3000{}\u2028"]


@pytest.mark.parametrize("around", SURROUNDED)
@pytest.mark.heavy
async def test_what_surrounds_a_name_does_not_count(api: Api, around: str) -> None:
    name = around.format("Anna@example.com")
    created = await api.client.post("/register", json={**ANNA, "username": name})
    assert created.json()["email"] == "Anna@example.com"
    for typed in (
        name,
        "anna@example.com",
        *(each.format("ANNA@example.com") for each in SURROUNDED),
    ):
        assert await api.log_in(typed, PASSWORD)
        form = {"grant_type": "password", "username": typed, "password": PASSWORD}
        assert (await api.client.post("/token", data=form)).status_code == 200
        again = await api.client.post("/register", json={**ANNA, "username": typed})
        assert again.status_code == 409


async def test_names_that_look_like_others_are_refused(api: Api) -> None:
    assert (await api.client.post("/register", json=ANNA)).status_code == 201
    for why, name in LOOK_ALIKES.items():
        answer = await api.client.post("/register", json={**ANNA, "username": name})
        assert answer.status_code == 400, why
        assert [fault["pointer"] for fault in answer.json()["errors"]] == ["/username"], why
        assert name not in answer.text
    assert await api.sql("SELECT count(*) FROM users") == [1]


@pytest.mark.heavy
async def test_an_account_whose_name_could_not_be_registered_now_goes_on(api: Api) -> None:
    for why, name in LOOK_ALIKES.items():
        await api.person(name)
        assert await api.log_in(name, PASSWORD), why


@pytest.mark.parametrize("member", ["username", "password"])
async def test_a_member_that_is_needed_is_missed(client: httpx2.AsyncClient, member: str) -> None:
    sent = {name: value for name, value in ANNA.items() if name != member}
    answer = await client.post("/register", json=sent)
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [f"/{member}"]


async def test_all_errors_are_listed_at_once(client: httpx2.AsyncClient) -> None:
    sent = {"username": "abc", "firstName": "a" * 65, "phone": "none"}
    answer = await client.post("/register", json=sent)
    pointers = {fault["pointer"] for fault in answer.json()["errors"]}
    assert pointers == {"/username", "/password", "/firstName", "/phone"}


async def test_limits_in_force_are_those_of_the_settings(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/register", json={**ANNA, "username": "abc"})
    assert answer.json()["errors"][0]["detail"] == "must have 4 to 254 characters"


async def test_undefined_members_have_no_effect(api: Api) -> None:
    foreign = {"id": 99, "isAdmin": True, "image": "x.png", "user_name": "eve", "first_name": "E"}
    answer = await api.client.post("/register", json={**ANNA, **foreign})
    assert answer.status_code == 201
    assert (answer.json()["id"], answer.json()["image"]) == (1, None)
    assert answer.json()["firstName"] == "Anna"
    assert await api.sql("SELECT role FROM users") == ["USER"]


@pytest.mark.parametrize("spelling", ["Anna@example.com", "anna@EXAMPLE.com", "ANNA@EXAMPLE.COM"])
async def test_a_name_is_taken_in_every_spelling(api: Api, spelling: str) -> None:
    await api.client.post("/register", json=ANNA)
    before = await snapshot(api)
    answer = await api.client.post("/register", json={**ANNA, "username": spelling})
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems#username-taken"
    assert spelling not in answer.text
    assert await snapshot(api) == before


@pytest.mark.parametrize(("name", "same"), [("Straße", "STRASSE"), ("ａｎｎａ", "Anna")])
async def test_caseless_matching_knows_more_than_latin(api: Api, name: str, same: str) -> None:
    assert (await api.client.post("/register", json={**ANNA, "username": name})).status_code == 201
    answer = await api.client.post("/register", json={**ANNA, "username": same})
    assert answer.status_code == 409


@pytest.mark.heavy
async def test_of_twenty_registrations_at_once_one_wins(api: Api) -> None:
    names = [name for _ in range(10) for name in ("anna@example.com", "ANNA@example.com")]
    answers = await asyncio.gather(
        *(api.client.post("/register", json={**ANNA, "username": name}) for name in names)
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 19
    assert len((await snapshot(api)).rows["users"]) == 1


async def test_a_body_of_just_the_limit_is_read(client: httpx2.AsyncClient) -> None:
    sent = json.dumps(ANNA).encode()
    headers = {"Content-Type": "application/json"}
    body = sent + b" " * (64 * KIBIBYTE - len(sent))
    assert (await client.post("/register", content=body, headers=headers)).status_code == 201


@pytest.mark.parametrize("form", ["declared", "chunked", "declared too small"])
async def test_a_body_over_the_limit_is_refused(api: Api, form: str) -> None:
    sent = json.dumps(ANNA).encode()
    body = sent + b" " * (64 * KIBIBYTE + 1 - len(sent))
    headers = {"Content-Type": "application/json"}
    if form == "declared too small":
        headers["Content-Length"] = "100"
    content = body if form == "declared" else in_pieces(body, 1000)
    answer = await api.client.post("/register", content=content, headers=headers)
    assert answer.status_code == 413
    assert "65536 bytes" in answer.json()["detail"]
    assert (await snapshot(api)).rows["users"] == []


@pytest.mark.parametrize(
    "media_type",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json",
     "application/json-seq", "application/jsonx"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/register", "/login"])
async def test_only_json_is_read(api: Api, path: str, media_type: str | None) -> None:
    headers = {} if media_type is None else {"Content-Type": media_type}
    answer = await api.client.post(path, content=json.dumps(ANNA).encode(), headers=headers)
    assert answer.status_code == 415
    assert (await snapshot(api)).rows["users"] == []


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON"])
async def test_json_may_be_announced_in_other_spellings(
    client: httpx2.AsyncClient, media_type: str
) -> None:
    headers = {"Content-Type": media_type}
    answer = await client.post("/register", content=json.dumps(ANNA).encode(), headers=headers)
    assert answer.status_code == 201


async def test_the_stored_password_is_a_slow_hash(api: Api) -> None:
    await api.client.post("/register", json=ANNA)
    (stored,) = await api.sql("SELECT password_hash FROM users")
    assert stored.startswith(CURRENT)


@pytest.mark.heavy
async def test_no_user_name_within_the_limit_is_too_long_for_the_database(
    start_api: ApiFactory,
) -> None:
    """An index entry has 2,704 bytes; random characters cannot be compressed into it."""
    random = Random(1)
    pools = (
        range(0x10400, 0x1F000),
        range(0x20000, 0x2A000),
        range(0x1F80, 0x2000),
        range(0x3300, 0x3358),
        range(0xFB00, 0xFDFF),
        range(0x4E00, 0x9FFF),
    )
    length = USERNAME_LARGEST
    async with start_api(username_max_length=length) as api:
        for pool in pools:
            letters = [chr(code) for code in pool if chr(code).isprintable()]
            name = "".join(random.choice(letters) for _ in range(length))
            record = {"username": name, "password": PASSWORD}
            answer = await api.client.post("/register", json=record)
            assert answer.status_code in {201, 400}, hex(pool[0])
            record["username"] = "x" * length
        answer = await api.client.post("/register", json=record)
        assert answer.status_code == 201
