"""Several pictures of one ad: to send them, and to read them from its record."""

import json
from collections.abc import Sequence
from typing import Any

import httpx2

from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Person, multipart, part

PROPERTIES_PART = part("properties", json.dumps(PROPERTIES).encode())


def form(*images: bytes, properties: bool = False) -> dict[str, Any]:
    parts = [part("image", image, filename=f"{n}.jpg") for n, image in enumerate(images)]
    return multipart(*([PROPERTIES_PART] if properties else []), *parts)


def jpegs(count: int, size: int = 64) -> list[bytes]:
    """Each of another height, by which it is known again."""
    return [pictures.jpeg(size, size + number) for number in range(count)]


async def post_ad(person: Person, *images: bytes) -> dict[str, Any]:
    answer = await person.post("/ads", **form(*images, properties=True))
    assert answer.status_code == 201, answer.text
    ad: dict[str, Any] = answer.json()
    return ad


async def images_of(person: Person, ad: dict[str, Any]) -> list[dict[str, Any]]:
    images: list[dict[str, Any]] = (await person.get(f"/ads/{ad['pk']}")).json()["images"]
    return images


async def add(person: Person, ad: dict[str, Any], *images: bytes) -> httpx2.Response:
    return await person.post(f"/ads/{ad['pk']}/images", **form(*images))


async def order(person: Person, ad: dict[str, Any], ids: object) -> httpx2.Response:
    return await person.patch(f"/ads/{ad['pk']}/images", json={"order": ids})


def heights(images: Sequence[dict[str, Any]]) -> list[int]:
    return [image["height"] for image in images]


def names(images: Sequence[dict[str, Any]]) -> list[str]:
    return [image["image"].rpartition("/")[2] for image in images]
