"""Row 1 of docs/reliability.md: malformed and hostile JSON."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from support.pictures import samples as pictures
from support.scene.api import PASSWORD, Api, Person, multipart, part
from support.scene.snapshots import snapshot

CANARY = "canary-7f3c4f0e"
# Each value stands where a member's value is expected.
VALUES = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "-Infinity": "-Infinity",
    "1e999": "1e999",
    "-1e999": "-1e999",
    "lone high surrogate": rf'"{CANARY}\ud800"',
    "lone low surrogate": rf'"\udc00{CANARY}"',
    "surrogates the wrong way round": r'"\udc00\ud800 canary"',
    "NUL": rf'"{CANARY}\u0000"',
    "5,000 digits": "9" * 5000,
    "minus 5,000 digits": "-" + "9" * 5000,
    "list nested 100,000 deep": "[" * 100_000 + "]" * 100_000,
    "record nested 100,000 deep": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "list nested 100 deep": "[" * 100 + "]" * 100,
    "list without an end": "[" * 100_000,
    "duplicate names inside": '{"a": 1, "a": 2}',
    "surrogate in a name inside": r'{"\ud800": 1}',
    "NUL in a name inside": r'{"\u0000": 1}',
    "NUL deep inside": r'[[{"a": ["\u0000"]}]]',
    "control character": '"a\x01b"',
    "line break": '"a\nb"',
    "single quotes": "'a'",
    "comment": "1 /* one */",
    "trailing comma": "[1,]",
    "hexadecimal": "0x10",
    "leading zero": "01",
    "plus": "+1",
    "bare word": "undefined",
    "nothing": "",
}
NAMES = {
    "a name that is a lone surrogate": r'"\ud800"',
    "a name with NUL": rf'"{CANARY}\u0000"',
    "a name without quotes": CANARY,
    "a number for a name": "1",
}
# Whole bodies; the first argument of each is a good one.
BODIES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "white space": lambda _: b" \n",
    "byte order mark": lambda good: b"\xef\xbb\xbf" + good,
    "UTF-16": lambda good: good.decode().encode("utf-16"),
    "UTF-16 without mark": lambda good: good.decode().encode("utf-16-le"),
    "UTF-32": lambda good: good.decode().encode("utf-32"),
    "bad UTF-8": lambda good: good.replace(b"}", b', "x": "\xff"}'),
    "overlong UTF-8": lambda good: good.replace(b"}", b', "x": "\xc0\xaf"}'),
    "a surrogate in UTF-8": lambda good: good.replace(b"}", b', "x": "\xed\xa0\x80"}'),
    "bytes behind the end": lambda good: good + CANARY.encode(),
    "NUL behind the end": lambda good: good + b"\0",
    "twice": lambda good: good + good,
    "cut off": lambda good: good[:-1],
    "binary": lambda _: bytes(range(256)),
    "gzip": lambda _: b"\x1f\x8b\x08" + bytes(20),
    "a form": lambda _: b"title=canary-7f3c4f0e&price=1",
    "every member twice": lambda good: good[:-1] + b", " + good[1:],
    "a list of records": lambda good: b"[" + good + b"]",
    "a record in a string": lambda good: json.dumps(good.decode()).encode(),
}
GOOD: dict[str, dict[str, Any]] = {
    "/register": {"username": "anna@example.com", "password": PASSWORD},
    "/login": {"username": "anna@example.com", "password": PASSWORD},
    "/ads/1": {"title": "Oak table", "price": 1},
    "/ads": {"title": "Oak table", "price": 1, "description": "Solid oak."},
}


def hostile_bodies(path: str) -> dict[str, bytes]:
    good = json.dumps(GOOD[path]).encode()
    found = {name: make(good) for name, make in BODIES.items()}
    for member in [*GOOD[path], "unknown"]:
        for name, value in VALUES.items():
            others = {key: GOOD[path][key] for key in GOOD[path] if key != member}
            sent = f'{json.dumps(others)[:-1]}, "{member}": {value}}}'
            found[f"{name} as {member}"] = sent.encode(errors="surrogatepass")
    for name, value in NAMES.items():
        found[name] = good[:-1] + f", {value}: 1}}".encode()
    for member in GOOD[path]:
        found[f"{member} twice"] = good[:-1] + f', "{member}": "{CANARY}"}}'.encode()
        found[f"10³⁰ as {member}"] = json.dumps({**GOOD[path], member: 10**30}).encode()
    return found


@pytest.fixture
async def author(api: Api) -> Person:
    """Has one ad, with the id 1."""
    person = await api.person()
    await person.post_ad()
    return person


async def send(author: Person, path: str, body: bytes, *, named: bool) -> httpx2.Response:
    if path == "/ads":
        parameters = {"filename": "blob"} if named else {}
        form = multipart(
            part("properties", body, **parameters),
            part("image", pictures.jpeg(), filename="photo.jpg"),
        )
        return await author.post("/ads", **form)
    method = "PATCH" if path == "/ads/1" else "POST"
    headers = {"Content-Type": "application/json"}
    return await author.request(method, path, content=body, headers=headers)


@pytest.mark.heavy
@pytest.mark.parametrize(("path", "named"), [*((path, False) for path in GOOD), ("/ads", True)])
async def test_json_that_is_not_in_order_is_refused_and_not_repeated(
    api: Api, author: Person, path: str, *, named: bool
) -> None:
    before = await snapshot(api)
    for name, body in hostile_bodies(path).items():
        answer = await send(author, path, body, named=named)
        too_large = len(body) > api.state.settings.json_body_max_bytes
        assert answer.status_code == (413 if too_large else 400), name
        assert CANARY not in answer.text, name
        assert b"\xff" not in answer.content, name
        assert "9" * 20 not in answer.text, name
        assert PASSWORD not in answer.text, name
    assert await snapshot(api) == before


@pytest.mark.heavy
@pytest.mark.parametrize("path", GOOD)
async def test_nesting_is_refused_at_every_depth_that_parsers_fear(
    start_api: Any, path: str
) -> None:
    async with start_api(json_body_max_bytes=1024 * 1024) as api:
        author = await api.person()
        await author.post_ad()
        good = json.dumps(GOOD[path])[:-1]
        for depth in (40, 900, 1100, 30_000, 100_000):
            for opened, closed in (("[", "]"), ('{"a":', "}")):
                nested = opened * depth + "1" + closed * depth
                body = f'{good}, "unknown": {nested}}}'.encode()
                answer = await send(author, path, body, named=False)
                assert answer.status_code == 400


@pytest.mark.parametrize("path", GOOD)
async def test_json_that_is_merely_unusual_is_read(api: Api, author: Person, path: str) -> None:
    await api.person("anna@example.com")
    good = dict(GOOD[path])
    if path == "/register":
        good["username"] = "ben@example.com"
    escaped = "".join(rf"\u{ord(character):04x}" for character in next(iter(good)))
    body = json.dumps(good).replace(next(iter(good)), escaped, 1)
    unusual = r', "unknown": [1e308, 5e-324, -0, 1E+2, "\ud83d\ude00\t", {"": {}}, "\uffff"] }'
    body = "\r\n\t " + body[:-1] + unusual + " \n"
    answer = await send(author, path, body.encode(), named=False)
    assert answer.is_success, answer.text


async def test_unreadable_json_is_refused_with_place_and_reason(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    for body, pointer, detail in (
        (b'{"price": 4,\n "title" "Oak"}', "", "line 2, column 10: a colon is expected"),
        (b'{"price": 4 "title": "Oak"}', "", "line 1, column 13: a comma or the end is expected"),
        (b'{"price": }', "", "line 1, column 11: a value is expected"),
        (b"{price: 4}", "", "line 1, column 2: a member's name in double quotes is expected"),
        (b'{"price": 4,}', "", "line 1, column "),
        (b'{"title": "Oak', "", "line 1, column 11: a text does not end"),
        (b'{"title": "O\tak"}', "", "line 1, column 13: a control character has to be escaped"),
        (b'{"title": "O\\ak"}', "", "line 1, column 13: a backslash escapes nothing"),
        (b'{"price": 4} {}', "", "line 1, column 14: there is more behind the end"),
        (b'{"title": "\xff"}', "", "is not UTF-8 at byte 12"),
        (
            b'{"price": 4, "price": 5}',
            "",
            'line 1, column 14: an object has two members of one name: "price"',
        ),
        (
            b'[{"a": 1, "b": ["{", {"a": "a,"}],\n "\\u0061": 2}]',
            "",
            'line 2, column 2: an object has two members of one name: "a"',
        ),
        (b'{"a": 1, "a": 2', "", "line 1, column "),
        (
            b'{"\\ud800": 1, "\\ud800": 2}',
            "",
            'column 15: an object has two members of one name: "\\ud800"',
        ),
        (b'{"a": {"' + b"b" * 90 + b'": 1, "' + b"b" * 90 + b'": 2}}', "", "b" * 60 + '"'),
        (b'{"price": NaN}', "", "NaN and Infinity are no numbers of JSON"),
        (b'{"attributes": {"a/b": ["x", "\\u0000"]}}', "/attributes/a~1b/1", "has NUL in it"),
        (b'{"title": "\\ud800"}', "/title", "half of a surrogate pair"),
    ):
        headers = {"Content-Type": "application/json"}
        answer = await person.patch(path, content=body, headers=headers)
        assert answer.status_code == 400, body
        [fault] = answer.json()["errors"]
        assert (fault["code"], fault["pointer"]) == ("malformed", pointer), body
        assert detail in fault["detail"], fault
        assert "Oak" not in answer.text, body


async def test_a_patch_that_changes_nothing_names_what_is_not_known(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    for where, sent, pointers in (
        (path, {"prise": 4}, ["", "/prise"]),
        (path, {"status": "sold", "a/b": 1}, ["", "/status", "/a~1b"]),
        (path, {}, [""]),
        ("/users/me", {"lastNam": "Berg"}, ["", "/lastNam"]),
        (path, {f"x{number}": CANARY for number in range(1000)}, None),
    ):
        answer = await person.patch(where, json=sent)
        assert answer.status_code == 400
        found = answer.json()["errors"]
        assert [fault["code"] for fault in found] == ["wrong-count"] + ["unknown"] * (
            len(found) - 1
        )
        assert pointers is None or [fault["pointer"] for fault in found] == pointers
        assert len(found) <= 21
        assert CANARY not in answer.text


async def test_a_patch_may_be_called_a_merge_patch(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    headers = {"Content-Type": "application/merge-patch+json"}
    changed = await person.patch(path, content=b'{"price": 4}', headers=headers)
    assert (changed.status_code, changed.json()["price"]) == (200, 4)
    told = await person.post(f"{path}/comments", content=b'{"text": "Hello"}', headers=headers)
    assert told.status_code == 415
