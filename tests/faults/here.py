"""adsvc on a port of its own, but in this process, so that a test can look inside."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from adsvc.kit.http import protocol
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.main import create_app
from adsvc.settings import Settings
from faults.served import HOST
from support.scene.api import Api


@dataclass
class Here:
    port: int
    api: Api

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"


ServeHere = Callable[..., AbstractAsyncContextManager[Here]]


@asynccontextmanager
async def serving(settings: Settings, patch: pytest.MonkeyPatch) -> AsyncIterator[Here]:
    patch.setattr(protocol, "_settings", lambda: settings)
    app: FastAPI = create_app(settings)
    config = uvicorn.Config(
        app,
        host=HOST,
        port=0,
        http=BoundedProtocol,
        ws="none",
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_seconds,
        timeout_graceful_shutdown=1,
    )
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve())
    while not running.started:
        assert not task.done()
        await asyncio.sleep(0.01)
    [listening] = running.servers
    port = listening.sockets[0].getsockname()[1]
    try:
        async with httpx2.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=30) as client:
            yield Here(port, Api(client, app))
    finally:
        running.should_exit = True
        await task
