"""What of the OpenAPI document the generator is given."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

# The types say it.
VALUES = re.compile(r" ?Known values: [^.]*\. Later versions may add more\.$")

# The sorted values of each open enumeration, joined by "|".
OPEN_VALUES: set[str] = set()

FORMS = {"application/json", "multipart/form-data", "application/x-www-form-urlencoded"}

METHODS = ("get", "put", "post", "delete", "patch")


def read(path: Path) -> dict[str, Any]:
    """The document, without refusals: they are all problems, and made into errors elsewhere.

    Every operation has one tag, as each tag would otherwise bring its operations once more.
    """
    document: dict[str, Any] = json.loads(path.read_bytes())
    schemas = document["components"]["schemas"]
    _name_values(schemas)
    named = {_values(schema): name for name, schema in schemas.items() if "enum" in schema}
    for schema in _within([schemas, document["paths"], document["components"]["parameters"]]):
        name = named.get(_values(schema))
        if name is not None and schema is not schemas[name]:
            del schema["enum"], schema["type"]
            schema["$ref"] = f"#/components/schemas/{name}"
    for operation in operations(document):
        operation["tags"] = ["adsvc"]
        if "requestBody" in operation and FORMS.isdisjoint(operation["requestBody"]["content"]):
            # A text of one of several types, which the client tells apart.
            operation["x-text"] = operation.pop("requestBody")
        operation["responses"] = {
            status: answer for status, answer in operation["responses"].items() if status[0] == "2"
        }
    return document


def _name_values(schemas: dict[str, Any]) -> None:
    """Open enumerations become types of their values; the records take others all the same."""
    for schema in _within(schemas):
        if "x-extensible-enum" in schema:
            schema["enum"] = schema.pop("x-extensible-enum")
            OPEN_VALUES.add("|".join(sorted(schema["enum"])))
            schema["description"] = VALUES.sub("", schema["description"])


def _values(schema: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(schema.get("enum", ()))


def _within(node: object) -> Iterator[dict[str, Any]]:
    """Each object of a part of the document."""
    if isinstance(node, dict):
        yield node
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _within(each)


def operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for item in document["paths"].values():
        yield from (item[method] for method in METHODS if method in item)


def needs_credentials(document: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    return bool(operation.get("security", document.get("security")))


def returns_bytes(document: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    """Whether the answer is a picture, which the generator has no type for."""
    return any(kind.startswith("image/") for kind in _content(document, operation))


def is_streamed(document: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    """Whether the answer goes on, event by event."""
    return "text/event-stream" in _content(document, operation)


def _content(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any]:
    (_, answer), *_ = operation["responses"].items()
    while "$ref" in answer:
        answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    content: Mapping[str, Any] = answer.get("content", {})
    return content
