"""One line a request, cheap enough to write for answers that cost almost nothing themselves."""

import asyncio
import json
import sys
import time
from datetime import UTC, datetime
from functools import lru_cache

from adsvc.observability.metrics.requests import RequestCounts
from adsvc.settings import LogFormat

# Lines go out together; a crash loses what this short a time has brought.
FLUSH_SECONDS = 0.05

# Methods and routes are few.
quoted = lru_cache(json.dumps)


class AccessLog:
    """Writes to standard error, in the format of the other lines (see `observability.logging`)."""

    def __init__(self, log_format: LogFormat, requests: RequestCounts | None = None) -> None:
        # Every answer has its line here, so this is where answers are counted, if they are.
        self.requests = requests
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
        """The route is the template: paths are the client's words. Of those only an id is told."""
        if self.requests is not None:
            self.requests.count(route, method, status, seconds)
        now, milliseconds = self._now(), round(seconds * 1000, 2)
        if self._json:
            user = "null" if user_id is None else user_id
            line = (
                f'{{"timestamp": "{now}", "level": "info", "logger": "adsvc.access",'
                f' "event": "request", "request_id": "{request_id}", "method": {quoted(method)},'
                f' "route": {quoted(route)}, "status": {status}, "duration_ms": {milliseconds},'
                f' "user_id": {user}, "ad_id": {"null" if ad_id is None else ad_id}'
            )
            line += "}" if trace_id is None else f', "trace_id": "{trace_id}"}}'
        else:
            line = (
                f"{now} {method} {route or '-'} {status} {milliseconds} ms"
                f" request_id={request_id} user_id={user_id or '-'}"
            )
            if ad_id is not None:
                line += f" ad_id={ad_id}"
            if trace_id is not None:
                line += f" trace_id={trace_id}"
        if not self._lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self._lines.append(line)

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
