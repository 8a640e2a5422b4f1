"""Text has one form: NFC, without what no reader can see, trimmed."""

import json
from typing import Any

import pytest

from support.scene.api import PASSWORD, Api, Person, ad_form
from support.scene.categories import CARS, plant
from support.scene.moderation import TERMS, moderator
from support.scene.snapshots import snapshot

CONTROLS = [chr(code) for code in (*range(1, 9), *range(14, 32), *range(0x7F, 0xA0))]
CONTROLS.remove("\x85")
DIRECTIONS = [
    chr(code) for code in (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
]
UNSEEN = ["\u00ad", "\u034f", "\u061c", "\u115f", "\u17b4", "\u180e", "\u200b", "\u2060", "\u3164",
          "\ufeff", "\uffa0", "\ufffb", "\U0001d173", "\U000e0041"]  # fmt: skip
# Of use only in other scripts.
JOINERS = ["\u200c", "\u200d", "\ufe0f", "\U000e0100"]
REMOVED = [*CONTROLS, *DIRECTIONS, *UNSEEN, *JOINERS]
BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"]
# Emoji of several parts, flags, keycaps; Persian, Hindi, and a form of an ideograph.
KEPT = (
    "Tisch für 6 – שולחן! \U0001f469\u200d\U0001f467 \u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 "
    "\xa9\ufe0f \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f "
    "می\u200cخواهم "
    "क्\u200dष 葛\U000e0100 木製"
)
BLANK = ["  ", "\t\n", "\u200b" * 5, "\u00ad" * 8, "\u3164" * 8, "\u2800" * 8, "\u180e" * 8,
         "\u200d\ufe0f" * 8, "\xa0\u3000\u202e "]  # fmt: skip


def around(character: str) -> str:
    return f"{character} Oak {character}table{character} "


async def faults(who: Person, method: str, path: str, **sent: Any) -> list[tuple[str, str]]:
    answer = await who.request(method, path, **sent)
    return [(fault["pointer"], fault["code"]) for fault in answer.json().get("errors", ())]


@pytest.mark.heavy
async def test_texts_in_one_line_have_nothing_invisible(api: Api) -> None:
    person = await api.person()
    ad = (await person.post_ad())["pk"]
    names = {f"/ads/{ad}": ("title", "place"), "/users/me": ("firstName", "lastName")}
    expected = {
        **dict.fromkeys(REMOVED, "Oak table"),
        **dict.fromkeys(["\t", *BREAKS], "Oak  table"),
    }
    for character, text in expected.items():
        for path, members in names.items():
            record = await person.patch(path, json=dict.fromkeys(members, around(character)))
            assert record.status_code == 200, repr(character)
            assert {record.json()[name] for name in members} == {text}, repr(character)
    for path, members in names.items():
        record = await person.patch(path, json={members[0]: KEPT})
        assert record.json()[members[0]] == KEPT


@pytest.mark.guard
async def test_longer_texts_have_their_paragraphs_and_nothing_invisible(api: Api) -> None:
    author, reader = await api.person(), await api.person()
    ad = (await author.post_ad())["pk"]
    comment = (await reader.post(f"/ads/{ad}/comments", json={"text": "Hello"})).json()["pk"]
    expected = {**dict.fromkeys(REMOVED, "Oak table"), **dict.fromkeys(BREAKS, "Oak \ntable"),
                "\t": "Oak \ttable", KEPT: f"{KEPT} Oak {KEPT}table{KEPT}"}  # fmt: skip
    for character, text in expected.items():
        await author.patch(f"/ads/{ad}", json={"description": around(character)})
        details = (await reader.get(f"/ads/{ad}/details")).json()
        assert details["description"] == text, repr(character)
        path = f"/ads/{ad}/comments/{comment}"
        record = await reader.patch(path, json={"text": around(character)})
        assert record.json()["text"] == text, repr(character)


async def test_decomposed_text_is_composed_where_it_is_made(api: Api) -> None:
    person = await api.person()
    form = ad_form(title="Cafe\u0301 au lait", place="Ko\u0308ln", description="De\u0301licieux.")
    ad = (await person.post("/ads", files=form)).json()["pk"]
    details = (await person.get(f"/ads/{ad}/details")).json()
    assert (details["title"], details["place"]) == ("Café au lait", "Köln")
    assert details["description"] == "Délicieux."
    other = await api.person()
    sent = await other.post(f"/ads/{ad}/messages", json={"text": " Gru\u0308ezi\u200b "})
    assert sent.json()["text"] == "Grüezi"


@pytest.mark.parametrize(
    "q", ["caf\xe9", "cafe\u0301", "\u200ecafe\u0301\ufeff", "ca\u00adf\xe9 ", "caf\xe9\u3000"]
)
async def test_a_search_finds_a_word_however_it_was_typed(api: Api, q: str) -> None:
    person = await api.person()
    ads = [
        (await person.post_ad(title=title))["pk"] for title in ("Caf\xe9 table", "Cafe\u0301 chair")
    ]
    found = (await api.client.get("/ads", params={"q": q})).json()["results"]
    assert {ad["pk"] for ad in found} == set(ads)


@pytest.mark.heavy
@pytest.mark.parametrize("text", BLANK)
async def test_text_without_a_visible_character_is_blank(api: Api, text: str) -> None:
    author, reader, judge = await api.person(), await api.person(), await moderator(api)
    await plant(api)
    [named] = [one for one in CARS["attributes"] if one["type"] == "string"]
    attributes = {"fuel": "diesel", named["name"]: "GTI"}
    ad = (await author.post_ad(category="cars", attributes=attributes))["pk"]
    assert (await reader.post(f"/ads/{ad}/reports", json={"reason": "other"})).status_code == 201
    case = (await judge.get("/moderation/cases")).json()["results"][0]["id"]
    before = await snapshot(api)
    reasons = {**TERMS, "explanation": text, "reference": text}
    new = ad_form(title=text, place=text, description=text)
    for who, method, path, sent, pointers in (
        (author, "POST", "/ads", {"files": new}, ["/title", "/description", "/place"]),
        (author, "POST", "/ads/drafts", {"json": {"title": text}}, ["/title"]),
        (author, "PATCH", f"/ads/{ad}", {"json": {"title": text}}, ["/title"]),
        (author, "PATCH", f"/ads/{ad}", {"json": {"attributes": {named["name"]: text}}},
         [f"/attributes/{named['name']}"]),
        (author, "PATCH", "/users/me", {"json": {"firstName": text, "lastName": text}},
         ["/firstName", "/lastName"]),
        (author, "POST", "/users/me/keys", {"json": {"name": text, "scopes": ["ads:read"]}},
         ["/name"]),
        (author, "POST", "/users/me/searches", {"json": {"name": text, "query": "q=oak"}},
         ["/name"]),
        (reader, "POST", f"/ads/{ad}/comments", {"json": {"text": text}}, ["/text"]),
        (reader, "POST", f"/ads/{ad}/messages", {"json": {"text": text}}, ["/text"]),
        (reader, "POST", f"/ads/{ad}/reports", {"json": {"reason": "other", "text": text}},
         ["/text"]),
        (judge, "POST", f"/moderation/cases/{case}/decisions",
         {"json": {"action": "removeAd", **reasons}}, ["/explanation", "/reference"]),
    ):  # fmt: skip
        assert await faults(who, method, path, **sent) == [
            (pointer, "blank") for pointer in pointers
        ], (path, repr(text))
    assert await snapshot(api) == before


async def test_limits_count_the_characters_that_are_left(api: Api) -> None:
    person = await api.person()
    ad = (await person.post_ad())["pk"]
    path = f"/ads/{ad}"
    # 150 characters that were sent as 600.
    answer = await person.patch(path, json={"title": "\u200b" + "e\u0301\u200b " * 150})
    assert answer.status_code == 400
    answer = await person.patch(path, json={"title": "\u200be\u0301\ufeff\u00ad" * 150})
    assert answer.json()["title"] == "é" * 150
    assert await faults(person, "PATCH", path, json={"title": "o\u200ba\u200bk"}) == [
        ("/title", "wrong-length")
    ]


async def test_marks_beyond_thirty_on_one_letter_are_left_out(api: Api) -> None:
    """Their order is found in quadratic time."""
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    for marks in ("\u0315\u0316", "\u0344", "\u0f73"):
        body = json.dumps({"description": "Oak table \u6728" + marks * 9000}, ensure_ascii=False)
        headers = {"content-type": "application/json"}
        answer = await author.patch(f"/ads/{ad}", content=body.encode(), headers=headers)
        assert answer.status_code == 200
        said = (await author.get(f"/ads/{ad}/details")).json()["description"]
        assert said.startswith("Oak table \u6728")
        assert len(said) == len("Oak table \u6728") + 30


async def test_a_text_attribute_is_composed_and_trimmed(api: Api) -> None:
    [named] = [one for one in CARS["attributes"] if one["type"] == "string"]
    await plant(api)
    person = await api.person()
    said = {"fuel": "diesel", named["name"]: " Cafe\u0301\tracer\u200b "}
    ad = (await person.post_ad(category="cars", attributes=said))["pk"]
    details = (await person.get(f"/ads/{ad}/details")).json()
    assert details["attributes"][named["name"]] == "Café racer"


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
