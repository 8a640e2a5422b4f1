"""One line a request, cheap enough to write for answers that cost almost nothing themselves."""

import asyncio
import json
import sys
from datetime import UTC, datetime

from adsvc.settings import LogFormat

# Lines go out together; a crash loses what this short a time has brought.
FLUSH_SECONDS = 0.05


class AccessLog:
    """Writes to standard error, in the format of the other lines (see `adsvc.logging`)."""

    def __init__(self, log_format: LogFormat) -> None:
        self._json = log_format is LogFormat.JSON
        self._lines: list[str] = []

    def write(
        self,
        request_id: str,
        method: str,
        route: str | None,
        status: int,
        seconds: float,
        user_id: int | None,
    ) -> None:
        """The route is the template: paths are the client's words."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        milliseconds = round(seconds * 1000, 2)
        if self._json:
            line = json.dumps(
                {
                    "timestamp": now,
                    "level": "info",
                    "logger": "adsvc.access",
                    "event": "request",
                    "request_id": request_id,
                    "method": method,
                    "route": route,
                    "status": status,
                    "duration_ms": milliseconds,
                    "user_id": user_id,
                }
            )
        else:
            line = (
                f"{now} {method} {route or '-'} {status} {milliseconds} ms"
                f" request_id={request_id} user_id={user_id or '-'}"
            )
        if not self._lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self._lines.append(line)

    def flush(self) -> None:
        if self._lines:
            lines, self._lines = self._lines, []
            sys.stderr.write("\n".join(lines) + "\n")
            sys.stderr.flush()
