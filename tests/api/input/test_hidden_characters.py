"""Text that others see has no invisible characters that change how it looks."""

from typing import Any

import pytest

from support.scene.api import PASSWORD, Api, Person, ad_form
from support.scene.categories import CARS, plant
from support.scene.moderation import TERMS, moderator
from support.scene.snapshots import snapshot

CONTROLS = [chr(code) for code in (*range(1, 32), *range(0x7F, 0xA0))]
BREAKS = ["\t", "\n", "\r", "\u2028", "\u2029"]
OVERRIDES = ["\u202d", "\u202e"]
DIRECTIONS = ["\u202a", "\u202b", "\u202c", *(chr(code) for code in range(0x2066, 0x206A))]
NOT_IN_A_LINE = {*CONTROLS, *BREAKS, *OVERRIDES, *DIRECTIONS}
NOT_IN_TEXT = {*CONTROLS, *OVERRIDES} - {*BREAKS}
HARMLESS = "Tisch für 6 – שולחן\u200f! \U0001f469\u200d\U0001f467 木製"


def around(character: str) -> str:
    return f"Oak {character}table"


async def faults(who: Person, method: str, path: str, **sent: Any) -> tuple[int, list[str]]:
    answer = await who.request(method, path, **sent)
    told = answer.json() if answer.content else {}
    return answer.status_code, [fault["pointer"] for fault in told.get("errors", ())]


@pytest.mark.guard
async def test_texts_in_one_line_have_no_controls_and_turn_no_direction(api: Api) -> None:
    """Of an ad and of an account; an ad's form is validated by the same records."""
    person = await api.person()
    ad = (await person.post_ad(title=HARMLESS, place=HARMLESS))["pk"]
    assert (await person.get(f"/ads/{ad}/details")).json()["title"] == HARMLESS
    before = await snapshot(api)
    for character in NOT_IN_A_LINE:
        for path, names in ((f"/ads/{ad}", ("title", "place")),
                            ("/users/me", ("firstName", "lastName"))):  # fmt: skip
            body = dict.fromkeys(names, around(character))
            told = await faults(person, "PATCH", path, json=body)
            assert told == (400, [f"/{name}" for name in names]), repr(character)
    assert await snapshot(api) == before
    for path, name in ((f"/ads/{ad}", "title"), ("/users/me", "firstName")):
        body = {name: HARMLESS}
        assert (await faults(person, "PATCH", path, json=body))[0] == 200


async def test_they_are_refused_where_things_are_made(api: Api) -> None:
    person = await api.person()
    record = {"username": "anna@example.com", "password": PASSWORD}
    wrong = around("\u202e")
    told = await faults(
        person, "POST", "/register", json={**record, "firstName": wrong, "lastName": wrong}
    )
    assert told == (400, ["/firstName", "/lastName"])
    form = ad_form(title=wrong, place=wrong, description=wrong)
    told = await faults(person, "POST", "/ads", files=form)
    assert told == (400, ["/title", "/description", "/place"])


@pytest.mark.guard
async def test_longer_texts_keep_their_paragraphs_and_nothing_else(api: Api) -> None:
    author, reader, judge = await api.person(), await api.person(), await moderator(api)
    ad = (await author.post_ad(description=f"One\n\tTwo\r\n{HARMLESS}\u2068x\u2069"))["pk"]
    comments = f"/ads/{ad}/comments"
    comment = (await reader.post(comments, json={"text": f"One\n{HARMLESS}"})).json()["pk"]
    for character in NOT_IN_TEXT:
        text = around(character)
        for who, method, path, body, pointer in (
            (author, "PATCH", f"/ads/{ad}", {"description": text}, "/description"),
            (reader, "POST", comments, {"text": text}, "/text"),
            (reader, "PATCH", f"{comments}/{comment}", {"text": text}, "/text"),
            (reader, "POST", f"/ads/{ad}/reports", {"reason": "other", "text": text}, "/text"),
        ):
            told = await faults(who, method, path, json=body)
            assert told == (400, [pointer]), (path, repr(character))
    told = await faults(reader, "POST", f"/ads/{ad}/reports",
                        json={"reason": "other", "text": "One\nTwo"})  # fmt: skip
    assert told[0] == 201
    case = (await judge.get("/moderation/cases")).json()["results"][0]["id"]
    reasons = {**TERMS, "explanation": around("\u202e"), "reference": around("\n")}
    path = f"/moderation/cases/{case}/decisions"
    told = await faults(judge, "POST", path, json={"action": "removeAd", **reasons})
    assert told == (400, ["/explanation", "/reference"])


async def test_what_an_attribute_says_is_in_one_line(api: Api) -> None:
    [named] = [one for one in CARS["attributes"] if one["type"] == "string"]
    await plant(api)
    person = await api.person()
    said = {"fuel": "diesel", named["name"]: "GTI"}
    ad = (await person.post_ad(category="cars", attributes=said))["pk"]
    for character in NOT_IN_A_LINE:
        body = {"attributes": {named["name"]: around(character)}}
        told = await faults(person, "PATCH", f"/ads/{ad}", json=body)
        assert told == (400, [f"/attributes/{named['name']}"]), repr(character)


@pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip", "GZIP", "x"])
async def test_a_body_that_is_encoded_is_refused_and_not_read(api: Api, coding: str) -> None:
    person = await api.person()
    ad = (await person.post_ad())["pk"]
    before = await snapshot(api)
    headers = {"Content-Encoding": coding}
    form = {"grant_type": "password", "username": person.username, "password": PASSWORD}
    for method, path, sent in (
        ("PATCH", f"/ads/{ad}", {"json": {"price": 7}}),
        ("POST", "/ads", {"files": ad_form()}),
        ("POST", "/login", {"json": {"username": person.username, "password": PASSWORD}}),
        ("POST", "/token", {"data": form}),
        ("POST", f"/ads/{ad}/sell", {"json": {"price": 7}}),
    ):
        answer = await person.request(method, path, headers=headers, **sent)
        assert answer.status_code == 415, path
        assert answer.json()["type"] == "/problems#unsupported-media-type"
        assert answer.headers["Accept-Encoding"] == "identity"
    assert await snapshot(api) == before
    # Where there is no body, nothing is encoded.
    assert (await person.post(f"/ads/{ad}/reserve", headers=headers)).status_code == 200


async def test_identity_is_no_encoding(api: Api) -> None:
    person = await api.person()
    headers = {"Content-Encoding": "identity"}
    answer = await person.patch("/users/me", json={"firstName": "Anna"}, headers=headers)
    assert answer.status_code == 200
