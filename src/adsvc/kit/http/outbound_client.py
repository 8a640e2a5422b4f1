"""Sends requests to addresses that users supply, by the rules of `outbound`.

A name is resolved once. Every address that it has is checked, and the connection goes to one of
those that were checked, so a name that resolves differently the second time gains nothing. TLS and
the `Host` header still have the name. Redirects are not followed, and time and bytes are bounded.

It is imported when something is to be sent: httpcore2, dnspython and the certificates take 4 MiB.
"""

import asyncio
import re
import ssl
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any
from urllib.parse import unquote

import httpcore2
from dns.asyncresolver import Resolver
from dns.exception import DNSException
from pydantic_core import Url

from adsvc.kit.http.outbound import (
    Address,
    Answer,
    Network,
    UnreachableError,
    checked_url,
    host_of,
    literal_address,
    networks_of,
    require_allowed,
)

# Of the addresses of one name.
MOST_ADDRESSES = 8
# For each of them.
CONNECT_SECONDS = 5.0
PROXY_HEAD_MAX_BYTES = 16 * 1024
# The event loop waits while httpcore2 takes apart what one read gives: interim answers, chunks.
READ_BYTES = 16 * 1024
# Of an answer before its body, and beside it.
HEAD_MAX_BYTES = 64 * 1024
# Chunks may have a few bytes, or many bytes on average.
FEW_PIECES, PIECE_BYTES = 256, 256


# Reading them takes 20 ms and much memory.
_machines_authorities = cache(ssl.create_default_context)


class OutboundClient:
    """`exceptions` are networks that are allowed although they are not public; there `http` is too.

    With a `proxy`, it is the proxy that connects to the address that was checked.
    """

    def __init__(
        self,
        exceptions: Sequence[str] = (),
        *,
        proxy: str | None = None,
        resolver: Resolver | None = None,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        """`resolver` and `trusted` authorities are those of the machine, unless given."""
        self._exceptions = networks_of(exceptions)
        through = None if proxy is None else Url(proxy)
        trusted = trusted or _machines_authorities()
        self._pools = {
            scheme: httpcore2.AsyncConnectionPool(
                ssl_context=trusted,
                network_backend=_CheckedBackend(scheme, self._exceptions, through, resolver),
                # How many there are at once is for the caller to limit.
                max_connections=None,
                # Each request resolves and checks.
                max_keepalive_connections=0,
            )
            for scheme in ("https", "http")
        }

    async def request(
        self,
        text: str,
        content: bytes | None,
        headers: Mapping[str, str],
        *,
        seconds: float,
        max_bytes: int = 1024,
    ) -> Answer:
        """`ForbiddenAddressError`, or `UnreachableError` after so many seconds at the latest.

        Without content it is a `GET`.
        """
        url = checked_url(text, self._exceptions)
        target = httpcore2.URL(
            scheme=url.scheme,
            host=host_of(url),
            port=url.port,
            target=f"{url.path or '/'}{'' if url.query is None else f'?{url.query}'}",
        )
        request = self._pools[url.scheme].stream(
            "GET" if content is None else "POST",
            target,
            headers=list(headers.items()),
            content=content,
        )
        body, pieces = bytearray(), 0
        try:
            async with asyncio.timeout(seconds), request as response:
                stream = response.extensions["network_stream"]
                if isinstance(stream, _BoundedStream):
                    stream.left = HEAD_MAX_BYTES + 2 * max_bytes
                async for chunk in response.aiter_stream():
                    body += chunk
                    pieces += 1
                    if len(body) >= max_bytes:
                        break
                    if pieces > FEW_PIECES and len(body) < PIECE_BYTES * pieces:
                        raise UnreachableError("The answer is in too many pieces.")
        except (TimeoutError, httpcore2.TimeoutException) as error:
            raise UnreachableError("There was no answer in time.") from error
        except (OSError, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            # Their texts may come from the other side.
            raise UnreachableError(f"There was no answer: {type(error).__name__}.") from error
        return Answer(response.status, bytes(body[:max_bytes]))

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()


class _CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections to addresses that were checked."""

    def __init__(
        self,
        scheme: str,
        exceptions: Sequence[Network],
        proxy: Url | None,
        resolver: Resolver | None,
    ) -> None:
        self._scheme = scheme
        self._exceptions = exceptions
        self._proxy = proxy
        self._resolver = resolver
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - httpcore2's signature
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        """To the first address of the host that accepts it."""
        addresses = await self._resolve(host)
        for address in addresses:
            require_allowed(address, self._scheme, self._exceptions)
        fault: Exception = UnreachableError("The name of the host has no address.")
        for address in addresses[:MOST_ADDRESSES]:
            try:
                return _BoundedStream(await self._connect(address, port))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                fault = error
        raise fault

    async def _resolve(self, host: str) -> Sequence[Address]:
        """By DNS alone, and not by the files of this machine."""
        literal = literal_address(host)
        if literal is not None:
            return [literal]
        if host == "localhost" or host.endswith(".localhost"):
            # RFC 6761 §6.3.
            return [IPv4Address("127.0.0.1")]
        try:
            # The configuration of the machine may change while the process runs.
            resolver = self._resolver or Resolver()
            found = await resolver.resolve_name(f"{host}.")
        except DNSException as error:
            raise UnreachableError("The name of the host has no address.") from error
        # Those of IPv4 first: more machines can use them.
        return sorted(map(ip_address, found.addresses()), key=lambda each: each.version)

    async def _connect(self, address: Address, port: int) -> httpcore2.AsyncNetworkStream:
        if self._proxy is None:
            return await self._inner.connect_tcp(str(address), port, CONNECT_SECONDS)
        proxy = self._proxy
        stream = await self._inner.connect_tcp(host_of(proxy), proxy.port or 80, CONNECT_SECONDS)
        host = f"[{address}]" if isinstance(address, IPv6Address) else address
        try:
            await _tunnel(stream, proxy, f"{host}:{port}")
        except BaseException:
            await stream.aclose()
            raise
        return stream


class _BoundedStream(httpcore2.AsyncNetworkStream):
    """Reads at most `left` bytes, a few at a time."""

    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner
        self.left = HEAD_MAX_BYTES

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        if self.left <= 0:
            raise UnreachableError("The answer is too long.")
        data = await self._inner.read(min(max_bytes, READ_BYTES), timeout)
        self.left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - httpcore2's signature
        return self._inner.get_extra_info(info)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore2.AsyncNetworkStream:
        return _BoundedStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))


async def _tunnel(stream: httpcore2.AsyncNetworkStream, proxy: Url, authority: str) -> None:
    """RFC 9110 §9.3.6. httpcore2's own tunnels have the proxy resolve the name again."""
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
    if proxy.username is not None:
        pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        lines.append(f"Proxy-Authorization: Basic {b64encode(pair.encode()).decode()}")
    await stream.write("\r\n".join([*lines, "", ""]).encode(), CONNECT_SECONDS)
    head = b""
    # Nothing of the other side can follow before it was spoken to.
    while not head.endswith(b"\r\n\r\n"):
        more = await stream.read(PROXY_HEAD_MAX_BYTES, CONNECT_SECONDS)
        head += more
        if not more or len(head) > PROXY_HEAD_MAX_BYTES:
            raise UnreachableError("The proxy did not answer.")
    if not re.match(rb"HTTP/1\.[01] 2\d\d\b", head):
        raise UnreachableError("The proxy refused to connect.")
