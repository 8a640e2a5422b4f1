"""Applications run in the test's own process."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast
from urllib.parse import unquote

import httpx2
from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import Message

from adsvc.api.pipeline.app import Service
from adsvc.api.pipeline.dispatch import Handler, RouteIndex
from adsvc.settings import Settings
from support.contract.conformity import Conformity
from support.contract.documents import document_with
from support.running.event_loop import watch

HERE = "192.0.2.1"
# By the setting on which documented answers depend: documents and validators take long to make, and
# limits bound only what is sent.
_conformities: dict[bool, Conformity] = {}


def add_route(app: FastAPI, path: str, handler: Handler) -> None:
    """Adds a route to an application that has its index of routes already."""
    app.routes.append(Route(path, handler))
    cast("Service", app).fast_path.pipeline.index = RouteIndex(app.routes)


def client_at(app: FastAPI, address: str) -> httpx2.AsyncClient:
    """A client of that address, who holds every answer against the application's document."""
    transport = httpx2.ASGITransport(
        watch.watched(app), raise_app_exceptions=False, client=(address, 50000)
    )
    hooks = {"response": [_conformity(app).check]}
    return httpx2.AsyncClient(transport=transport, base_url="http://testserver", event_hooks=hooks)


def _conformity(app: FastAPI) -> Conformity:
    settings: Settings = app.state.service.settings
    key = settings.http_basic
    if key not in _conformities:
        _conformities[key] = Conformity(document_with(http_basic=key))
    return _conformities[key]


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with app.router.lifespan_context(app), client_at(app, HERE) as client:
        yield client


def scope_of(
    method: str, path: str, *, headers: Sequence[tuple[bytes, bytes]] = ()
) -> dict[str, Any]:
    """What a server passes to the application with a request."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": list(headers),
        "client": (HERE, 50000),
        "server": ("testserver", 80),
        "scheme": "http",
    }


async def get_unnormalised(app: FastAPI, path: str) -> httpx2.Response:
    """GET a path just as it is given; httpx2 would resolve `..` before sending it."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope_of("GET", path), receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return httpx2.Response(sent[0]["status"], headers=sent[0]["headers"], content=body)
