"""What of the OpenAPI document the generator is given."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

METHODS = ("get", "put", "post", "delete", "patch")


def read(path: Path) -> dict[str, Any]:
    """The document, without refusals: they are all problems, and made into errors elsewhere.

    Every operation has one tag, as each tag would otherwise bring its operations once more.
    """
    document: dict[str, Any] = json.loads(path.read_bytes())
    for operation in operations(document):
        operation["tags"] = ["adsvc"]
        operation["responses"] = {
            status: answer for status, answer in operation["responses"].items() if status[0] == "2"
        }
    return document


def operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for item in document["paths"].values():
        yield from (item[method] for method in METHODS if method in item)


def needs_credentials(document: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    return bool(operation.get("security", document.get("security")))


def returns_bytes(document: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    """Whether the answer is a picture, which the generator has no type for."""
    (_, answer), *_ = operation["responses"].items()
    while "$ref" in answer:
        answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return any(kind.startswith("image/") for kind in answer.get("content", {}))
