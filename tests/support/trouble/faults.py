"""Forms with errors in them, and the errors that refusals list."""

import json
from typing import Any

import httpx2

from support.pictures import samples as pictures
from support.scene.api import multipart, part

JPEG = pictures.jpeg()


def picture(content: bytes) -> tuple[str, bytes]:
    return part("image", content, filename="photo.jpg")


def form(properties: object, *images: bytes) -> dict[str, Any]:
    sent = properties if isinstance(properties, bytes) else json.dumps(properties).encode()
    return multipart(part("properties", sent), *map(picture, images))


def faults_in(answer: httpx2.Response) -> list[tuple[str, str, str | None]]:
    """Place, code and part of each fault."""
    assert answer.status_code == 400, answer.text
    assert answer.json()["type"] in {"/problems#invalid-request", "/problems#invalid-image"}
    return [
        (fault.get("parameter", fault.get("pointer")), fault["code"], fault.get("part"))
        for fault in answer.json()["errors"]
    ]


def of_properties(*faults: tuple[str, str]) -> list[tuple[str, str, str | None]]:
    return [(pointer, code, "properties") for pointer, code in faults]
