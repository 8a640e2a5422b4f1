"""The log. Lines of the standard library's loggers, for machines or for people.

The access log has one line for each request. It is cheap, because cached responses cost almost
nothing.
"""

import asyncio
import json
import logging
import re
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import ClassVar

from adsvc.kit.counters import RequestCounts
from adsvc.kit.settings.groups import AccessLines, LogFormat


class Traces:
    """If traces are on, `current` returns the id of the current trace.

    Global, as a process's loggers are.
    """

    current: ClassVar[Callable[[], str | None] | None] = None


class LineFormatter(logging.Formatter):
    """The time, the level, the message, the logger and `extra`, in one line before any traceback.

    structlog writes the same, but imports Rich and Pygments, which take 7 MiB in each process.
    """

    # Those that every record has, and the repetition of uvicorn's messages with escape codes.
    _NOT_EXTRA = frozenset(
        {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "color_message"}
    )
    _QUOTED = re.compile(r"""[\s="']""")

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__()
        self._render = self._as_json if log_format is LogFormat.JSON else self._as_text

    def format(self, record: logging.LogRecord) -> str:
        members = {
            key: content for key, content in vars(record).items() if key not in self._NOT_EXTRA
        }
        trace_id = Traces.current() if Traces.current is not None else None
        if trace_id is not None:
            members["trace_id"] = trace_id
        time_of_day = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")
        traceback = self.formatException(record.exc_info) if record.exc_info else ""
        return self._render(record, f"{time_of_day[:-6]}Z", members, traceback)

    @staticmethod
    def _as_json(
        record: logging.LogRecord, timestamp: str, members: dict[str, object], traceback: str
    ) -> str:
        known = {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if traceback:
            members["exception"] = traceback
        return json.dumps({**known, **members, "timestamp": timestamp}, default=repr)

    @classmethod
    def _as_text(
        cls, record: logging.LogRecord, timestamp: str, members: dict[str, object], traceback: str
    ) -> str:
        level, message = record.levelname.lower(), record.getMessage()
        line = f"{timestamp} [{level:9}] {message:30} [{record.name}]"
        for key, content in members.items():
            plain = isinstance(content, str) and not cls._QUOTED.search(content)
            line += f" {key}={content if plain else repr(content)}"
        return f"{line}\n{traceback}" if traceback else line


class CountedWarning:
    """A warning for a fault that affects many requests: one line a second, with their number.

    The first is written at once, with `extra` of its request.
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
    """All logs go to standard error, one line for each event."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter(log_format))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # The service writes its own access log.
    logging.getLogger("uvicorn.access").disabled = True
    # Alembic logs each plugin that it loads.
    logging.getLogger("alembic.runtime.plugins").setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True


# Lines of this time are written together. A crash loses them.
FLUSH_SECONDS = 0.05

EVERY = {AccessLines.ALL: 1, AccessLines.SAMPLE: 100, AccessLines.ERRORS: 0}
FIRST_ERROR = 400

# Methods and routes are few.
quoted = lru_cache(json.dumps)


class AccessLog:
    """Writes to standard error, in the format of the other lines (see `observability.logging`)."""

    def __init__(
        self,
        log_format: LogFormat,
        requests: RequestCounts | None = None,
        lines: AccessLines = AccessLines.ALL,
    ) -> None:
        # Every response is passed to `write`, so responses are also counted here.
        self.requests = requests
        # Of responses without an error one in so many has a line; 0 means none.
        self._every = EVERY[lines]
        self._left_out = 0
        self._json = log_format is LogFormat.JSON
        self._lines: list[str] = []
        self._second = 0
        self._until_second = ""

    def write(
        self,
        request_id: str,
        method: str,
        route: str | None,
        status: int,
        seconds: float,
        user_id: int | None,
        ad_id: int | None = None,
        trace_id: str | None = None,
    ) -> None:
        """`route` is the template: a path is written by a client, and may contain anything."""
        if self.requests is not None:
            self.requests.count(route, method, status, seconds)
        sampled = self._every != 1 and status < FIRST_ERROR
        if sampled and self._is_left_out():
            return
        now, milliseconds = self._now(), round(seconds * 1000, 2)
        if self._json:
            user = "null" if user_id is None else user_id
            line = (
                f'{{"timestamp": "{now}", "level": "info", "logger": "adsvc.access",'
                f' "event": "request", "request_id": "{request_id}", "method": {quoted(method)},'
                f' "route": {quoted(route)}, "status": {status}, "duration_ms": {milliseconds},'
                f' "user_id": {user}, "ad_id": {"null" if ad_id is None else ad_id}'
            )
            if sampled:
                line += f', "sampled": {self._every}'
            line += "}" if trace_id is None else f', "trace_id": "{trace_id}"}}'
        else:
            line = (
                f"{now} {method} {route or '-'} {status} {milliseconds} ms"
                f" request_id={request_id} user_id={user_id or '-'}"
            )
            if ad_id is not None:
                line += f" ad_id={ad_id}"
            if sampled:
                line += f" sampled={self._every}"
            if trace_id is not None:
                line += f" trace_id={trace_id}"
        if not self._lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self._lines.append(line)

    def _is_left_out(self) -> bool:
        self._left_out += 1
        if self._left_out != self._every:
            return True
        self._left_out = 0
        return False

    def _now(self) -> str:
        now = time.time()
        second = int(now)
        if second != self._second:
            self._second = second
            self._until_second = datetime.fromtimestamp(second, UTC).isoformat()[:-6]
        return f"{self._until_second}.{int((now - second) * 1000):03}+00:00"

    def flush(self) -> None:
        if self._lines:
            lines, self._lines = self._lines, []
            sys.stderr.write("\n".join(lines) + "\n")
            sys.stderr.flush()
