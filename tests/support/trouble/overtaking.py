"""Conditional changes (`If-Match`), and their refusal."""

from typing import Any

import httpx2

from support.scene.api import Person

# So that compressed answers have a tag of their own.
LONG = "Solid oak, oiled. " * 100

PLAIN = {"Accept-Encoding": "identity"}

Change = tuple[str, str, dict[str, Any]]


async def tag_of(person: Person, path: str) -> str:
    """As it stands in an answer that is not compressed."""
    answer = await person.get(path, headers=PLAIN)
    assert answer.status_code == 200, answer.text
    tag: str = answer.headers["ETag"]
    assert len(tag) == 32, tag
    return tag


def gzipped(tag: str) -> str:
    return f'{tag[:-1]}-gzip"'


def patch(path: str, **members: object) -> Change:
    return "PATCH", path, {"json": members}


async def send(person: Person, change: Change, if_match: str) -> httpx2.Response:
    method, path, options = change
    return await person.request(method, path, headers={"If-Match": if_match}, **options)


def is_refused(answer: httpx2.Response, tag: str) -> None:
    assert answer.status_code == 412, answer.text
    assert answer.json()["type"] == "/problems#precondition-failed"
    assert answer.headers["ETag"] == tag
    assert answer.headers["Cache-Control"] == "no-store"
