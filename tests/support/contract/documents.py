"""OpenAPI documents of services that are not started."""

from typing import Any

from pydantic import SecretStr

from adsvc.main import create_app
from adsvc.settings import load_settings

Json = dict[str, Any]


def resolved(document: Json, node: Json) -> Json:
    """The node, or what it refers to."""
    if "$ref" not in node:
        return node
    found: Any = document
    for part in node["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return resolved(document, found)


def document_with(**changes: object) -> Json:
    """The document of a service with these settings; nothing is opened for it."""
    secret = SecretStr("0123456789abcdefghijklmnopqrstuvwxyz")
    return create_app(load_settings(jwt_secret=secret, **changes)).openapi()
