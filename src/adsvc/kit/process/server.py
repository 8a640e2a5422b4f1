"""HTTP servers of one process or several: their sockets, and how they stop."""

import asyncio
import ctypes
import errno
import logging
import multiprocessing
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn
from uvicorn import Config, _subprocess
from uvicorn.supervisors.multiprocess import Multiprocess

from adsvc.kit.errors import OperatorError
from adsvc.kit.process.setup import ANNOUNCE, drain

logger = logging.getLogger("adsvc.server")

# A name can have an address of a family that the machine lacks.
ABSENT = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}

# All addresses of both families, by one socket.
ANY = "::"

# From Linux's asm-generic/socket.h.
SO_ATTACH_FILTER = 26

# A classic BPF program (linux/filter.h: code, jt, jf, k) on the TCP header of incoming packets. A
# packet without ACK opens a connection, and is dropped.
WITHOUT_SYN = (
    (0x30, 0, 0, 13),  # load the byte with the flags
    (0x45, 0, 1, 0x10),  # ACK: go on, else skip one
    (0x06, 0, 0, 0xFFFF_FFFF),  # take all of it
    (0x06, 0, 0, 0),  # take nothing of it
)

# Packets on their way arrive within this time.
SETTLING_SECONDS = 0.15
# And connections are accepted within this time, even on a busy machine.
SETTLED_SECONDS = 3.0

# The names of the settings for a listener's address and port.
Variables = tuple[str, str]

SERVICE: Variables = ("ADSVC_HOST", "ADSVC_PORT")


def listen(
    host: str, port: int, *, what: str = "", variables: Variables = SERVICE
) -> list[socket.socket]:
    """Sockets bound to every address of the host. They do not listen yet.

    uvicorn binds several processes only to the first address of a name, and one process with `::`
    only to IPv6.
    """
    sockets: list[socket.socket] = []
    failure: OSError | None = None
    for family, address in _addresses(host, port, variables[0]):
        # If the port is any free one, all addresses get that of the first.
        chosen = sockets[0].getsockname()[1] if sockets else port
        try:
            sockets.append(_bound(family, (address[0], chosen, *address[2:]), both=host == ANY))
        except OSError as error:
            failure = failure or error
            if error.errno not in ABSENT:
                break
    else:
        if sockets:
            _log_address(host, sockets[0], what)
            return sockets
    for sock in sockets:
        sock.close()
    reason = failure.strerror if failure else "it has no address"
    raise OperatorError(f"{', '.join(variables)}: {host} port {port} cannot be used: {reason}.")


def refuse_new(sockets: list[socket.socket]) -> None:
    """Lets no more connections begin. Those that have begun can still be accepted.

    Closing a socket resets connections that wait to be accepted, whose clients may have sent a
    request. So this comes first, and the socket is closed when none wait. Clients that connect
    meanwhile retry after a second, and are then refused. The filter applies to the socket in all
    processes that share it.
    """
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in WITHOUT_SYN)
    buffer = ctypes.create_string_buffer(program, len(program))
    option = struct.pack("HP", len(WITHOUT_SYN), ctypes.addressof(buffer))
    # Only Linux has it.
    with suppress(OSError):
        for sock in sockets:
            sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, option)


def settling(sockets: list[socket.socket]) -> Iterator[float]:
    """Yields seconds to sleep after `refuse_new`, until no connection waits."""
    waiting = select.poll()
    for sock in sockets:
        waiting.register(sock, select.POLLIN)
    ends_at = time.monotonic() + SETTLED_SECONDS
    yield SETTLING_SECONDS
    while waiting.poll(0) and time.monotonic() < ends_at:
        yield SETTLING_SECONDS


def _addresses(host: str, port: int, variable: str) -> dict[tuple[int, tuple[Any, ...]], None]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise OperatorError(f"{variable}: {host} is no address: {error.strerror}.") from error
    # A name can have an address twice.
    return dict.fromkeys((family, tuple(address)) for family, *_, address in found)


def _log_address(host: str, sock: socket.socket, what: str) -> None:
    shown = f"[{host}]" if ":" in host else host
    place = f"http://{shown}:{sock.getsockname()[1]}"
    logger.info("Serving %son %s", what and f"{what} ", place)


def _bound(family: int, address: tuple[Any, ...], *, both: bool) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not both)
        sock.bind(address)
    except OSError:
        sock.close()
        raise
    return sock


class HttpServer(uvicorn.Server):
    """uvicorn's server, which after SIGTERM accepts connections for a while before it stops.

    Another signal ends that time. SIGINT has no such delay, because it comes from a terminal.
    """

    def __init__(self, config: uvicorn.Config, unready_seconds: float) -> None:
        super().__init__(config)
        self._unready_seconds = unready_seconds
        self._ends_at: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGTERM and self._unready_seconds and self._ends_at is None:
            drain.announce()
            self._ends_at = time.monotonic() + self._unready_seconds
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times a second. Returns true to end."""
        is_over = self._ends_at is not None and time.monotonic() >= self._ends_at
        return await super().on_tick(counter) or is_over

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._ends_at is not None and sockets:
            refuse_new(sockets)
            for seconds in settling(sockets):
                await asyncio.sleep(seconds)
        await super().shutdown(sockets)


# The module that the process imports from which workers are forked.
PRELOAD = "adsvc.preload"

# How often the supervisor checks for another signal.
POLL_SECONDS = 0.1


class Supervisor(Multiprocess):
    """uvicorn's supervisor, which closes the port before the server processes have finished.

    It has the listening socket too, so new clients would wait without end.

    Signals have the same effects as on `HttpServer`.
    """

    def __init__(
        self, config: Config, sockets: list[socket.socket], unready_seconds: float
    ) -> None:
        super().__init__(config, sockets)
        self._unready_seconds = unready_seconds
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload([PRELOAD])
        # uvicorn has no option for it. With its own context each worker imports everything.
        _subprocess.spawn = forks  # type: ignore[assignment]

    def handle_term(self) -> None:
        super().handle_term()
        if self._unready_seconds:
            self._serve_unready()

    def _serve_unready(self) -> None:
        for process in self.processes:
            assert process.pid is not None  # noqa: S101 - it was started
            with suppress(ProcessLookupError):
                os.kill(process.pid, ANNOUNCE)
        ends_at = time.monotonic() + self._unready_seconds
        while time.monotonic() < ends_at and not self.signal_queue:
            time.sleep(POLL_SECONDS)
        refuse_new(self.sockets)
        for seconds in settling(self.sockets):
            time.sleep(seconds)

    def join_all(self) -> None:
        for sock in self.sockets:
            sock.close()
        super().join_all()
