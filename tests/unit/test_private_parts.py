"""What is used of uvicorn and Pillow though they promise none of it.

Both are held to one minor version. Whoever moves on to the next one looks through this list first.
"""

import ast
import asyncio
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, WebPImagePlugin
from uvicorn import Config
from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState
from uvicorn.supervisors.multiprocess import Multiprocess

from adsvc.kit import http
from adsvc.kit.http.protocol import BoundedProtocol
from support.pictures.samples import encoded

# Methods that are called or overridden, and members that are read or set.
PROTOCOL = {
    "_start_asgi_task",
    "_unset_keepalive_if_required",
    "app",
    "client",
    "connection_lost",
    "connection_made",
    "connections",
    "cycle",
    "data_received",
    "flow",
    "headers",
    "loop",
    "on_body",
    "on_header",
    "on_headers_complete",
    "on_message_begin",
    "on_message_complete",
    "on_response_complete",
    "parser",
    "pause_writing",
    "pipeline",
    "resume_writing",
    "scope",
    "send_400_response",
    "server_state",
    "shutdown",
    "timeout_keep_alive",
    "timeout_keep_alive_handler",
    "timeout_keep_alive_task",
    "transport",
}
# Set by its callbacks only.
FROM_CALLBACKS = {"url"}
CYCLE = {
    "disconnected",
    "keep_alive",
    "message_event",
    "more_body",
    "response_complete",
    "response_started",
    "scope",
    "transport",
}
# What a cycle does with its transport, of which it gets a part.
TRANSPORT = {"close", "is_closing", "write"}
FLOW = {"resume_reading", "write_paused"}
HELD = {"uvicorn": ">=0.54,<0.55", "pillow": ">=13.0,<13.1"}

SOURCES = Path(inspect.getfile(http)).parent
NAMES_OF_A_CYCLE = {"cycle", "at_work", "_at_work"}


def attributes() -> Iterator[tuple[str, str]]:
    """What stands before each point, and behind it."""
    for name in ("connection", "protocol"):
        for node in ast.walk(ast.parse((SOURCES / f"{name}.py").read_text())):
            if isinstance(node, ast.Attribute):
                match node.value:
                    case ast.Name(id=owner) | ast.Attribute(attr=owner):
                        yield owner, node.attr
                    case ast.Call(func=ast.Name(id="super")):
                        yield "self", node.attr


async def made() -> tuple[HttpToolsProtocol, RequestResponseCycle]:
    async def app(_scope: object, _receive: object, _send: object) -> None: ...

    config = Config(app, log_config=None)
    protocol = HttpToolsProtocol(config, ServerState(), {}, asyncio.get_running_loop())
    parameters = dict.fromkeys(inspect.signature(RequestResponseCycle).parameters)
    return protocol, RequestResponseCycle(**parameters)  # type: ignore[arg-type]


@pytest.mark.heavy
async def test_all_that_the_server_uses_of_uvicorn_is_listed_and_there() -> None:
    protocol, cycle = await made()
    own = {name for name in vars(BoundedProtocol) if name not in PROTOCOL}
    assert set(dir(protocol)) >= PROTOCOL
    assert set(dir(cycle)) >= CYCLE
    assert set(dir(FlowControl(asyncio.Transport()))) >= FLOW
    used = {"self": set[str](), "cycle": set[str](), "flow": set[str]()}
    for owner, name in attributes():
        kind = "cycle" if owner in NAMES_OF_A_CYCLE else owner
        if kind in used:
            used[kind].add(name)
    assert (used["self"] & set(dir(protocol))) - own <= PROTOCOL | {"__init__"}
    assert used["cycle"] <= CYCLE
    assert used["flow"] <= FLOW
    assert httptools_impl.STATUS_LINE[200].startswith(b"HTTP/1.1 200 ")
    assert callable(Multiprocess.join_all)
    source = inspect.getsource(HttpToolsProtocol)
    assert all(f"self.{name}" in source for name in FROM_CALLBACKS)


def test_a_cycle_does_nothing_with_its_transport_but_what_is_listed() -> None:
    source = inspect.getsource(RequestResponseCycle)
    assert set(re.findall(r"self\.transport\.(\w+)", source)) == TRANSPORT


def test_the_decoder_of_a_webp_is_where_it_is_looked_for() -> None:
    picture = Image.open(BytesIO(encoded(Image.new("RGB", (2, 2)), "WEBP")))
    assert isinstance(picture, WebPImagePlugin.WebPImageFile)
    pixels, _ = picture._decoder.get_next()
    assert len(pixels) == 2 * 2 * len(picture.rawmode)


def test_versions_are_held_where_private_parts_are_used() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    for name, wanted in HELD.items():
        assert f"{name}{wanted}" in project["dependencies"]
        minor = wanted.split(",")[0].removeprefix(">=")
        assert version(name).startswith(f"{minor}.")
