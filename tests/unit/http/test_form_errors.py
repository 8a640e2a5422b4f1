from collections.abc import MutableMapping
from typing import Any

import pytest
from fastapi import Request

from adsvc.api.input.multipart import read_form
from adsvc.settings import Settings
from support.pictures import samples as pictures
from support.scene.api import multipart, part


def request_with(form: dict[str, Any]) -> Request:
    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": form["content"], "more_body": False}

    headers = [(name.lower().encode(), value.encode()) for name, value in form["headers"].items()]
    return Request({"type": "http", "headers": headers}, receive)


async def test_what_fails_after_a_form_was_received_is_not_blamed_on_the_image_store() -> None:
    form = multipart(part("image", pictures.jpeg(), filename="photo.jpg"))
    with pytest.raises(ConnectionRefusedError):
        async with read_form(request_with(form), Settings()):
            raise ConnectionRefusedError
