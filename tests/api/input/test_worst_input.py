"""The worst input that is taken: whatever a client sends, it does not hold the event loop.

Each text of each body, of each query and of some headers is as long as it may be, and filled with
what parsers, patterns and hints work on longest. That nothing holds the loop is checked after each
request and each test (`support/running/event_loop.py`).

The heavy tests send a sixth of the fillings to each place, the large ones send all.
"""

import json
import re
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import httpx2
import pytest

from support.contract.documents import document_with
from support.running.event_loop import watch
from support.scene.api import Api, Person

Json = dict[str, Any]

# A body of JSON has 64 KiB at most, and a character up to four bytes.
LONGEST = 60_000
LONGEST_HEADER = 8_000
LONGEST_PARAMETER = 2_000
FILLINGS = (
    "a", " ", "a ", "-", "1", "1 2 ", "+49 30 1234567, ", "0301234567x", "one two drei ", "null",
    "DE12 3456 ", "a123 ", "4111 1111 ", "a.b@", "a at b dot ", "@handle ", "http://a.b/", "whats",
    "(at) ", "((((", "[](", "**_`", "\\", '"', "'", "<b>", "&amp;", "%41", "$", "\n", "\u0301",
    "a\u0301", "\ufdfa", "\U0001d15e", "\u200b", "\u202e", "\ufb03", "\u0130", "ß", "ㅋ",
    "🧑\u200d",
    "1e9", "..", "../", "é-", "_", "52.5,13.4|", "a:1..2|", "x=1&", "or ", ",de;q=0.1", 'W/"a", ',
    "bytes=0-1,", "0x", "=?utf-8?q?",
)  # fmt: skip

EXTENT = pytest.mark.parametrize(
    "sixths",
    [
        pytest.param(1, marks=pytest.mark.heavy, id="sixth"),
        pytest.param(6, marks=pytest.mark.large, id="all"),
    ],
)


def fillings(sixths: int, *place: object) -> Sequence[str]:
    """The same ones in each run, and others for another place: all of them are sent somewhere."""
    chosen = Random(repr(place))
    return chosen.sample(FILLINGS, len(FILLINGS) * sixths // 6)


def filled(filling: str, longest: int) -> str:
    return (filling * (longest // len(filling) + 1))[:longest]


def resolved(document: Json, schema: Json) -> Json:
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif chosen := schema.get("anyOf") or schema.get("allOf"):
            schema = {**schema, **chosen[0]}
            schema.pop("anyOf", None)
            schema.pop("allOf", None)
        else:
            return schema


def example(document: Json, schema: Json) -> Any:
    given = schema.get("examples")
    schema = resolved(document, schema)
    given = given or schema.get("examples")
    if given:
        return given[0]
    if "const" in schema or "enum" in schema:
        return schema.get("const", [*schema.get("enum", ""), ""][0])
    if schema.get("type") == "object":
        members = schema.get("properties", {})
        return {name: example(document, member) for name, member in members.items()}
    if schema.get("type") == "array":
        return [example(document, schema["items"])]
    return {"string": "a", "integer": 1, "number": 1, "boolean": True}.get(schema.get("type", ""))


def texts(document: Json, schema: Json, path: tuple[str | int, ...] = ()) -> Iterator[Any]:
    """The path of each text in a body, and how long it may be."""
    schema = resolved(document, schema)
    kind = schema.get("type")
    if kind == "object":
        for name, member in schema.get("properties", {}).items():
            yield from texts(document, member, (*path, name))
    elif kind == "array" and len(path) < 4:
        yield from texts(document, schema["items"], (*path, 0))
    elif kind == "string" and not schema.get("enum") and "const" not in schema:
        yield path, min(schema.get("maxLength", LONGEST), LONGEST)


def put(body: Any, path: tuple[str | int, ...], text: str) -> None:
    *above, last = path
    for step in above:
        body = body[step]
    body[last] = text


OPERATIONS = [
    (method, path, operation)
    for path, operations in document_with()["paths"].items()
    for method, operation in operations.items()
    if isinstance(operation, dict)
]
BODIES = [
    pytest.param(method, path, operation["requestBody"]["content"], id=f"{method} {path}")
    for method, path, operation in OPERATIONS
    if "application/json" in operation.get("requestBody", {}).get("content", ())
]
QUERIES = [
    pytest.param(path, names, id=path)
    for method, path, operation in OPERATIONS
    if method == "get" and "stream" not in path and path != "/events"
    if (
        names := [
            one["name"] for one in operation.get("parameters", ()) if one.get("in") == "query"
        ]
    )
]


async def scene(api: Api) -> Person:
    """Ad, comment, conversation and report have the id 1; the caller may do everything."""
    author, admin = await api.person(), await api.admin()
    await author.post_ad(title="Oak table")
    await admin.post("/ads/1/messages", json={"text": "Still there?"})
    await admin.post("/ads/1/comments", json={"text": "How old is it?"})
    await author.post("/ads/1/comments/1/reports", json={"reason": "other", "text": "No."})
    return admin


def address(path: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: "furniture" if found[1] == "slug" else "1", path)


def require_quick(answer: httpx2.Response, *about: object) -> None:
    assert answer.status_code < 500, about
    assert not watch.stalls, (*about, watch.stalls)


@EXTENT
@pytest.mark.parametrize(("method", "path", "content"), BODIES)
async def test_no_text_of_a_body_holds_the_event_loop(
    api: Api, method: str, path: str, content: Json, sixths: int
) -> None:
    document, caller = document_with(), await scene(api)
    schema = content["application/json"]["schema"]
    for place, longest in texts(document, schema):
        for filling in fillings(sixths, method, path, place):
            body = example(document, schema)
            text = filled(filling, longest)
            if (
                not isinstance(body, dict)
                or len(json.dumps(text, ensure_ascii=False)) > LONGEST * 2
            ):
                continue
            put(body, place, text)
            sent = json.dumps(body, ensure_ascii=False).encode()[: LONGEST + 4000]
            answer = await caller.request(
                method.upper(), address(path), content=sent,
                headers={"Content-Type": "application/json"},
            )  # fmt: skip
            require_quick(answer, place, filling)


@EXTENT
@pytest.mark.parametrize(("path", "names"), QUERIES)
async def test_no_parameter_of_a_query_holds_the_event_loop(
    api: Api, path: str, names: list[str], sixths: int
) -> None:
    caller = await scene(api)
    for name in names:
        for filling in fillings(sixths, path, name):
            for length in (256, LONGEST_PARAMETER):
                params = {name: filled(filling, length)}
                answer = await caller.get(address(path), params=params)
                require_quick(answer, name, filling)


HEADERS = (
    "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Content-Type", "Cookie",
    "Forwarded", "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match", "Origin",
    "Prefer", "Range", "User-Agent", "X-Forwarded-For", "X-Request-ID",
)  # fmt: skip


@EXTENT
@pytest.mark.parametrize("name", HEADERS)
async def test_no_header_holds_the_event_loop(api: Api, name: str, sixths: int) -> None:
    caller = await scene(api)
    for filling in fillings(sixths, name):
        value = filled(filling, LONGEST_HEADER).replace("\n", " ").encode()
        headers = [(name.encode(), value)]
        for path in ("/ads", "/ads/1", "/ads/suggest", "/ads/1/details"):
            require_quick(await api.client.get(path, headers=headers), name, filling)
        answer = await caller.patch("/users/me", content=b"{}", headers={name: value})
        require_quick(answer, name, filling)


DEEP = 30_000
BODIES_OF_ALL_KINDS = {
    "deep arrays": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "open arrays": "[" * LONGEST,
    "many members": "{" + ",".join(f'"{number}":1' for number in range(6000)) + "}",
    "one member many times": "{" + ",".join(['"title":"a"'] * 5000) + "}",
    "many values": "[" + ",".join("1" * 30_000) + "]",
    "many objects": "[" + ",".join(["{}"] * 20_000) + "]",
    "long number": '{"price":' + "1" * LONGEST + "}",
    "long fraction": '{"price":0.' + "1" * LONGEST + "}",
    "long exponent": '{"price":1e' + "9" * LONGEST + "}",
    "many escapes": '{"title":"' + "\\u0041" * 10_000 + '"}',
    "lone surrogates": '{"title":"' + "\\ud800" * 10_000 + '"}',
    "open text": '{"title":"' + "a" * LONGEST,
    "white space": " " * LONGEST,
    "attributes": json.dumps(
        {"category": "furniture", "attributes": {str(n): "a" for n in range(5000)}}
    ),
    "deep attributes": '{"attributes":{"a":' + "[" * DEEP + "]" * DEEP + "}}",
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", BODIES_OF_ALL_KINDS)
async def test_no_shape_of_json_holds_the_event_loop(api: Api, name: str) -> None:
    caller = await scene(api)
    body = BODIES_OF_ALL_KINDS[name].encode()
    for method, path in (
        ("POST", "/login"), ("POST", "/ads/drafts"), ("PATCH", "/ads/1"), ("PATCH", "/users/me"),
        ("PUT", "/categories/furniture"), ("POST", "/users/me/searches"),
        ("POST", "/ads/1/messages"),
    ):  # fmt: skip
        headers = {"Content-Type": "application/json"}
        answer = await caller.request(method, path, content=body, headers=headers)
        require_quick(answer, name, path)


@pytest.mark.guard
async def test_the_watch_sees_what_holds_the_event_loop(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that computes for a fifth of a second."""

    def slow(_: str) -> bytes:
        began = time.thread_time()
        while time.thread_time() - began < 0.2:
            pass
        return bytes(16)

    caller = await scene(api)
    monkeypatch.setattr("adsvc.services.conversations.digest_of", slow)
    await caller.post("/conversations/1/messages", json={"text": "Hello"})
    [found] = watch.stalls
    assert "POST /conversations/1/messages" in found
    watch.stalls.clear()
