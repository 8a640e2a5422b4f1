"""`adsvc`, with the access log as it would be if nobody had ever thought of metrics and traces.

Without them switched on this is all that the two have left in the way of a request.
"""

import asyncio

from adsvc.__main__ import main
from adsvc.kit.observability.logging import FLUSH_SECONDS, AccessLog, quoted


def _write(
    self: AccessLog,
    request_id: str,
    method: str,
    route: str | None,
    status: int,
    seconds: float,
    user_id: int | None,
    ad_id: int | None = None,
) -> None:
    now, milliseconds = self._now(), round(seconds * 1000, 2)
    user = "null" if user_id is None else user_id
    line = (
        f'{{"timestamp": "{now}", "level": "info", "logger": "adsvc.access",'
        f' "event": "request", "request_id": "{request_id}", "method": {quoted(method)},'
        f' "route": {quoted(route)}, "status": {status}, "duration_ms": {milliseconds},'
        f' "user_id": {user}, "ad_id": {"null" if ad_id is None else ad_id}}}'
    )
    if not self._lines:
        asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
    self._lines.append(line)


if __name__ == "__main__":
    AccessLog.write = _write  # type: ignore[method-assign, assignment]
    main()
