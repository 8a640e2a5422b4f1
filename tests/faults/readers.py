"""Readers of one ad's picture who read all the time and check what they get."""

import asyncio
import time
from contextlib import AsyncExitStack
from io import BytesIO
from typing import Self

import httpx2
from PIL import Image

from faults.served import Service
from support.scene.api import Person

# The other process has heard of every change by then, on a machine that does other things too.
HEARD_SECONDS = 5
READERS = 3


class Readers:
    """What they saw is in `pictures`; a reader that saw something wrong raises at the end."""

    def __init__(self, service: Service, person: Person, pk: int) -> None:
        self._service = service
        self._person = person
        self._detail = f"/ads/{pk}"
        self._stopping = False
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._clients: list[httpx2.AsyncClient] = []
        self.pictures: set[bytes] = set()

    async def __aenter__(self) -> Self:
        # Connections of their own: each stays with the process that took it.
        for _ in range(READERS):
            client = self._service.client(headers=self._person.headers)
            self._clients.append(await self._stack.enter_async_context(client))
        self._tasks = [asyncio.create_task(self._look(client)) for client in self._clients]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping = True
        try:
            await asyncio.gather(*self._tasks)
        finally:
            await self._stack.aclose()

    async def _path(self, client: httpx2.AsyncClient) -> str | None:
        answer = await client.get(self._detail)
        assert answer.status_code in {200, 404}, answer.text
        path: str | None = answer.json()["image"] if answer.is_success else None
        return path

    async def _picture(self, client: httpx2.AsyncClient, path: str) -> bytes | None:
        answer = await client.get(path)
        assert answer.status_code in {200, 404}, answer.text
        if answer.is_error:
            return None
        assert answer.headers["etag"] == f'"{path.rpartition("/")[2]}"'
        if answer.content not in self.pictures:
            Image.open(BytesIO(answer.content)).load()
            self.pictures.add(answer.content)
        return answer.content

    async def _look(self, client: httpx2.AsyncClient) -> None:
        contents: dict[str, bytes] = {}
        while not self._stopping:
            path = await self._path(client)
            if path is None:
                await asyncio.sleep(0.01)
                continue
            picture = await self._picture(client, path)
            if picture is None:
                await self._replaced(client, path)
            else:
                # A name never changes its content.
                assert contents.setdefault(path, picture) == picture

    async def _replaced(self, client: httpx2.AsyncClient, path: str) -> None:
        """What cannot be read is not named any more, as soon as that has been heard of."""
        deadline = time.monotonic() + HEARD_SECONDS
        while await self._path(client) == path:
            assert time.monotonic() < deadline, f"{path} is named and not there"

    async def settled(self, *expected: bytes | None) -> bytes | None:
        """The one of these that all are shown in the end; None is that there is no ad."""
        deadline = time.monotonic() + HEARD_SECONDS
        while True:
            shown = {await self._shown(client) for client in self._clients}
            if len(shown) == 1 and shown <= set(expected):
                return shown.pop()
            assert time.monotonic() < deadline, [len(picture or b"") for picture in shown]

    async def _shown(self, client: httpx2.AsyncClient) -> bytes | None:
        path = await self._path(client)
        return None if path is None else await self._picture(client, path) or b"gone"
