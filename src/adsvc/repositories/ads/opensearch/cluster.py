"""Sends JSON to the nodes of a cluster, each request to one that answers."""

import asyncio
import json
import logging
import ssl
import time
from base64 import b64encode
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import httpcore2

from adsvc.kit.errors import AdsvcError
from adsvc.kit.observability.logging import CountedWarning

logger = logging.getLogger("adsvc.search")
away = CountedWarning(logger, "The search engine does not answer: %s")

# After so many failures in a row requests fail at once, but for one after each pause.
FAILURES = 3
PAUSE_SECONDS = 2.0
# Of an answer. The event loop parses it.
MOST_BYTES = 4 * 1024 * 1024
# For so long a node that failed is asked after the others.
SHUNNED_SECONDS = 10.0
# A page that a proxy or an overloaded node sends instead of an answer.
UNAVAILABLE = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)


class ClusterUnavailableError(AdsvcError):
    """No node answered in time, or the circuit is open."""


class ClusterRefusedError(AdsvcError):
    """A node understood the request and refused it."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}")
        self.status = status


class _Node(NamedTuple):
    scheme: str
    host: str
    port: int
    headers: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, url: str) -> "_Node":
        parts = urlsplit(url)
        host = parts.hostname or ""
        headers = [("Host", parts.netloc.rpartition("@")[2]), ("Content-Type", "application/json")]
        if parts.username is not None:
            user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers.append(("Authorization", f"Basic {b64encode(user.encode()).decode()}"))
        default = 443 if parts.scheme == "https" else 80
        return cls(parts.scheme, host, parts.port or default, headers)


class SearchCluster:
    def __init__(self, urls: Iterable[str], *, seconds: float) -> None:
        """`seconds` is the longest time of a request, with all nodes that it is sent to."""
        self._nodes = [_Node.of(url) for url in urls]
        self._shunned_until = [0.0] * len(self._nodes)
        self._seconds = seconds
        self._failures = 0
        self._open_until = 0.0
        has_tls = any(node.scheme == "https" for node in self._nodes)
        self._pool = httpcore2.AsyncConnectionPool(
            # Of the machine's authorities, which take 20 ms to read.
            ssl_context=ssl.create_default_context() if has_tls else None,
            max_connections=None,
            keepalive_expiry=30,
        )

    async def close(self) -> None:
        await self._pool.aclose()

    @property
    def is_open(self) -> bool:
        """Whether the circuit is open: requests fail."""
        return self._failures >= FAILURES

    async def request(
        self, method: str, path: str, body: object = None, *, lines: Iterable[object] = ()
    ) -> Any:  # noqa: ANN401 - JSON
        """The answer's JSON. The body is one value, or `lines` of them."""
        if self.is_open:
            if time.monotonic() < self._open_until:
                raise ClusterUnavailableError("circuit open")
            # The others do not wait for this one.
            self._open_until = time.monotonic() + PAUSE_SECONDS
        values = [body] if body is not None else [*lines]
        content = "\n".join([*map(json.dumps, values), ""]).encode() if values else None
        try:
            async with asyncio.timeout(self._seconds):
                status, found = await self._ask(method, path, content)
        except (TimeoutError, ClusterUnavailableError) as error:
            self._failures += 1
            self._open_until = time.monotonic() + PAUSE_SECONDS
            away.note(str(error) or type(error).__name__)
            raise ClusterUnavailableError(str(error)) from error
        self._failures = 0
        if status >= HTTPStatus.BAD_REQUEST:
            reason = found.get("error", "") if isinstance(found, dict) else ""
            raise ClusterRefusedError(status, json.dumps(reason)[:500])
        return found

    async def _ask(self, method: str, path: str, content: bytes | None) -> tuple[int, Any]:
        """Asks the nodes one after another, those that failed lately last."""
        failure = "no node"
        now = time.monotonic()
        end = now + self._seconds
        order = sorted(range(len(self._nodes)), key=lambda at: self._shunned_until[at] > now)
        for number, at in enumerate(order, 1):
            # The last one gets all of the time that is left.
            seconds = (end - time.monotonic()) / (2 if number < len(order) else 1)
            try:
                async with asyncio.timeout(seconds):
                    status, text = await self._send(self._nodes[at], method, path, content)
                if status not in UNAVAILABLE:
                    return status, json.loads(text) if text else {}
                failure = f"status {status}"
            except (
                TimeoutError,
                OSError,
                ValueError,
                httpcore2.NetworkError,
                httpcore2.ProtocolError,
                httpcore2.TimeoutException,
            ) as error:
                failure = type(error).__name__
            self._shunned_until[at] = time.monotonic() + SHUNNED_SECONDS
        raise ClusterUnavailableError(failure)

    async def _send(
        self, node: _Node, method: str, path: str, content: bytes | None
    ) -> tuple[int, bytes]:
        url = httpcore2.URL(scheme=node.scheme, host=node.host, port=node.port, target=path)
        body = bytearray()
        async with self._pool.stream(
            method, url, headers=list(node.headers), content=content
        ) as answer:
            async for piece in answer.aiter_stream():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError
        return answer.status, bytes(body)
