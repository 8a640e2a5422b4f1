"""Lists in bodies that are as long as a body may be, with nothing right in them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.contract.documents import document_with
from support.scene.api import Api

Json = dict[str, Any]
Path = tuple[str | int, ...]

# A body of JSON has 64 KiB at most.
LONGEST = 60_000
# Far less than one fault for each item.
LONGEST_REFUSAL = 16 * 1024
# Each is wrong in some list.
ITEMS: tuple[Any, ...] = (0, "", [], {}, None)


def resolved(document: Json, schema: Json) -> Json:
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif chosen := schema.get("anyOf") or schema.get("allOf"):
            schema = chosen[0]
        else:
            return schema


def lists(document: Json, schema: Json, path: Path = ()) -> Iterator[Path]:
    """Where a body has lists: the names of members, and 0 for the first item of a list."""
    schema = resolved(document, schema)
    if schema.get("type") == "array":
        yield path
        yield from lists(document, schema["items"], (*path, 0))
    for name, member in schema.get("properties", {}).items():
        yield from lists(document, member, (*path, name))


def body_with(path: Path, value: object) -> Any:
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    return value


DOCUMENT = document_with()
LISTS = [
    pytest.param(method, path, where, id=f"{method} {path} {where}")
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    if "application/json" in operation.get("requestBody", {}).get("content", ())
    for where in lists(DOCUMENT, operation["requestBody"]["content"]["application/json"]["schema"])
]


@pytest.mark.parametrize(("method", "path", "where"), LISTS)
@pytest.mark.heavy
async def test_a_long_list_is_refused_as_a_whole(
    api: Api, method: str, path: str, where: Path
) -> None:
    """Its refusal is short, and that nothing holds the event loop is checked after each test."""
    author, admin = await api.person(), await api.admin()
    ad = await author.post_ad()
    path = path.replace("{id}", str(ad["pk"])).replace("{slug}", "furniture")
    for item in ITEMS:
        length = LONGEST // (len(json.dumps(item)) + 1)
        content = json.dumps(body_with(where, [item] * length), separators=(",", ":"))
        for prefer in ("handling=lenient", "handling=strict"):
            headers = {"Content-Type": "application/json", "Prefer": prefer}
            answer = await admin.request(method.upper(), path, content=content, headers=headers)
            assert answer.status_code in {400, 404}, item
            assert len(answer.content) < LONGEST_REFUSAL, item
