"""Where the service is, how it is addressed, and what calls may set for themselves."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import httpx2

from ._generated.types import UNSET, Unset
from ._generated.version import __version__
from .operation import Operation
from .response import ResponseInfo
from .retries import Retries
from .uploads import Progress

BASE_URL: Final = "http://127.0.0.1:8080"
BASE_URL_VARIABLE: Final = "ADSVC_BASE_URL"
KEY_VARIABLE: Final = "ADSVC_KEY"
# An answer to twelve pictures takes its time.
TIMEOUT: Final = httpx2.Timeout(60.0, connect=10.0)
# A connection that the service is about to close would lose the next request.
LIMITS: Final = httpx2.Limits(keepalive_expiry=2.0)

Timeout = float | httpx2.Timeout | None
"""Seconds for each step of an attempt: connecting, sending, receiving. None is for ever."""


@dataclass(frozen=True, kw_only=True)
class Options:
    timeout: Timeout | Unset = UNSET
    retries: Retries = field(default_factory=Retries)
    headers: Mapping[str, str] = field(default_factory=dict)
    on_response: Callable[[ResponseInfo], None] | None = None
    on_progress: Progress | None = None


class WithOptions:
    _options: Options

    def with_options(
        self,
        *,
        timeout: Timeout | Unset = UNSET,
        retries: Retries | Unset = UNSET,
        headers: Mapping[str, str] | Unset = UNSET,
        on_response: Callable[[ResponseInfo], None] | Unset | None = UNSET,
        on_progress: Progress | Unset | None = UNSET,
    ) -> Self:
        """This client with other options: `client.with_options(timeout=5).get_ad(1)`.

        It shares the session and the connections, so only one of the two is closed. `headers` are
        added to those of this client. `on_response` is called with the status, the headers and the
        request id of each success before the method returns; refusals have `error.response`.
        `on_progress` is called with the bytes of the body that were sent and with all of them,
        again from the beginning if it is sent again.
        """
        options = self._options
        if not isinstance(timeout, Unset):
            options = replace(options, timeout=timeout)
        if not isinstance(retries, Unset):
            options = replace(options, retries=retries)
        if not isinstance(headers, Unset):
            options = replace(options, headers={**options.headers, **headers})
        if not isinstance(on_response, Unset):
            options = replace(options, on_response=on_response)
        if not isinstance(on_progress, Unset):
            options = replace(options, on_progress=on_progress)
        other = copy(self)
        other._options = options  # noqa: SLF001 - of a copy of its own
        return other


class Connection:
    def __init__(self, base_url: str | None) -> None:
        base_url = base_url or os.environ.get(BASE_URL_VARIABLE) or BASE_URL
        self._base_url = base_url.rstrip("/")

    @contextmanager
    def arguments(
        self, operation: Operation[Any], access_token: str | None, options: Options
    ) -> Iterator[dict[str, Any]]:
        """What the method `request` of either client of httpx2 takes."""
        headers = httpx2.Headers({"User-Agent": f"adsvc-client-python/{__version__}"})
        headers.update(operation.headers)
        headers.update(options.headers)
        if access_token is not None:
            headers["Authorization"] = f"Bearer {access_token}"
        with operation.arguments() as arguments:
            yield {
                **arguments,
                "timeout": httpx2.USE_CLIENT_DEFAULT
                if isinstance(options.timeout, Unset)
                else options.timeout,
                "url": self._base_url + operation.path,
                "headers": headers,
                # Pictures may be elsewhere, and need no token. Tokens, and what is sent, go to the
                # service and nowhere else.
                "follow_redirects": operation.method == "GET" and access_token is None,
            }
