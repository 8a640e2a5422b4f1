"""OpenAPI documents of services that are not started."""

from collections.abc import Hashable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

from pydantic import SecretStr

from adsvc.main import create_app
from adsvc.settings import Settings, load_settings

Json = dict[str, Any]


def resolved(document: Json, node: Json) -> Json:
    """The node, or what it refers to."""
    if "$ref" not in node:
        return node
    found: Any = document
    for part in node["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return resolved(document, found)


def document_with(**changes: Hashable) -> Json:
    """The document of a service with these settings; nothing is opened for it."""
    # Stated defaults make no second document.
    differing = {
        name: value
        for name, value in changes.items()
        if value != Settings.model_fields[name].default
    }
    return deepcopy(_document(**differing))


@cache
def _document(**changes: Hashable) -> Json:
    # It takes two seconds to make.
    secret = SecretStr("0123456789abcdefghijklmnopqrstuvwxyz")
    return create_app(load_settings(jwt_secret=secret, **changes)).openapi()


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Method, path and operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def values(node: object, key: str) -> Iterator[object]:
    """What stands under that key, wherever it is."""
    if isinstance(node, dict):
        if key in node:
            yield node[key]
        for child in node.values():
            yield from values(child, key)
    elif isinstance(node, list):
        for child in node:
            yield from values(child, key)


def schemas_of(node: object) -> Iterator[Json]:
    """Every dictionary that has a type, or is one of the forms that a schema may have instead."""
    if isinstance(node, list):
        for child in node:
            yield from schemas_of(child)
    elif isinstance(node, dict):
        if isinstance(node.get("type"), (str, list)) or "anyOf" in node or "allOf" in node:
            yield node
        for name, child in node.items():
            # What stands there are values.
            if name not in {"example", "examples", "value"}:
                yield from schemas_of(child)
