"""Where the service is, and how it is addressed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx

from ._generated.version import __version__
from .operation import Operation

BASE_URL: Final = "http://127.0.0.1:8080"
# An answer to twelve pictures takes its time.
TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)
# A connection that the service is about to close would lose the next request.
LIMITS: Final = httpx.Limits(keepalive_expiry=2.0)


class Connection:
    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")

    @contextmanager
    def arguments(
        self, operation: Operation[Any], access_token: str | None
    ) -> Iterator[dict[str, Any]]:
        """What the method `request` of either client of httpx takes."""
        headers = {"User-Agent": f"adsvc-client-python/{__version__}", **operation.headers}
        if access_token is not None:
            headers["Authorization"] = f"Bearer {access_token}"
        with operation.arguments() as arguments:
            yield {
                **arguments,
                "url": self._base_url + operation.path,
                "headers": headers,
                # Pictures may be elsewhere, and need no token. Tokens, and what is sent, go to the
                # service and nowhere else.
                "follow_redirects": operation.method == "GET" and access_token is None,
            }
