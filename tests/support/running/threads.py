"""Other servers, in threads of the test's own process."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

START_SECONDS = 10


@contextmanager
def served(app: Any, port: int, name: str) -> Iterator[None]:
    """It has a loop of its own: commands of tests block the loop that they run in."""
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        log_config=None,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name=name, daemon=True)
    thread.start()
    deadline = time.monotonic() + START_SECONDS
    while not server.started:
        assert thread.is_alive(), f"{name} did not start."
        assert time.monotonic() < deadline
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)
