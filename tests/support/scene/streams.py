"""Responses that go on until their client leaves, in the process of the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Message

from support.running.in_process import scope_of
from support.scene.api import Api, Person
from support.scene.warmth import WAIT_SECONDS

PERSONAL = "/users/me/stream"


class Stream:
    """A response that goes on, as a client has it."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.text = ""
        self.ended = False
        self.gone = asyncio.Event()
        # Whether the client takes what is sent.
        self.taken = asyncio.Event()
        self.taken.set()
        self._sent = False
        self._stirred = asyncio.Event()

    async def receive(self) -> Message:
        if not self._sent:
            self._sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.text += message.get("body", b"").decode()
            self.ended = not message.get("more_body", False)
        self._stirred.set()
        await self.taken.wait()

    @property
    def events(self) -> list[dict[str, str]]:
        blocks = [block for block in self.text.split("\n\n") if block.startswith("id:")]
        return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]

    @property
    def types(self) -> list[str]:
        return [event["event"] for event in self.events]

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(WAIT_SECONDS):
            while not condition(self):
                self._stirred.clear()
                await self._stirred.wait()


@asynccontextmanager
async def streaming(
    api: Api, person: Person, query: str = "", path: str = "/events/stream", **headers: str
) -> AsyncIterator[Stream]:
    stream = Stream()
    sent = [(b"authorization", f"Bearer {person.token}".encode())]
    sent += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = scope_of("GET", path, headers=sent)
    # As uvicorn says.
    scope |= {"query_string": query.encode(), "asgi": {"version": "3.0", "spec_version": "2.3"}}
    task = asyncio.create_task(api.app(scope, stream.receive, stream.send))
    try:
        await stream.until(lambda it: it.text or it.ended)
        yield stream
    finally:
        stream.gone.set()
        stream.taken.set()
        await asyncio.wait([task])
