"""One way to log: standard library loggers, rendered by structlog for machines or for people."""

import asyncio
import logging
import time
from collections.abc import Callable, MutableMapping
from typing import Any, ClassVar

import structlog

from adsvc.settings import LogFormat


def _without_colours(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    # uvicorn's messages come a second time, with escape codes.
    event.pop("color_message", None)
    return event


class Traces:
    """How the trace that is at work is found, if there are any."""

    current: ClassVar[Callable[[], str | None] | None] = None


def _with_trace(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    trace_id = Traces.current() if Traces.current is not None else None
    if trace_id is not None:
        event["trace_id"] = trace_id
    return event


class CountedWarning:
    """A warning for what a fault does to each request: one line a second, with their number.

    The first is written at once, with what `extra` tells of its request.
    """

    PERIOD_SECONDS = 1.0

    def __init__(self, logger: logging.Logger, message: str) -> None:
        """`message` has one `%s`, for the cause."""
        self._logger = logger
        self.message = message
        self._cause = ""
        self._count = 0
        self._written_at = float("-inf")

    def note(self, cause: str, **extra: object) -> None:
        self._cause = cause
        self._count += 1
        left = self._written_at + self.PERIOD_SECONDS - time.monotonic()
        if left <= 0:
            self._write(extra)
        elif self._count == 1:
            asyncio.get_running_loop().call_later(left, self.write_rest)

    def write_rest(self) -> None:
        if self._count:
            self._write({})

    def _write(self, extra: dict[str, object]) -> None:
        extra["count"] = self._count
        self._count = 0
        self._written_at = time.monotonic()
        self._logger.warning(self.message, self._cause, extra=extra)


def configure(log_format: LogFormat) -> None:
    """Everything goes to standard error, one line an event."""
    renderer: Any
    if log_format is LogFormat.JSON:
        renderer = structlog.processors.JSONRenderer()
    else:
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            _without_colours,
            _with_trace,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            renderer,
        ]
    )
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # The service writes its own access log.
    logging.getLogger("uvicorn.access").disabled = True
    # Alembic tells which of its parts it has set up, and that is no news.
    logging.getLogger("alembic.runtime.plugins").setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
