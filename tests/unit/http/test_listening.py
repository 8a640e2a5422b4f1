"""Listening sockets that are about to be closed."""

import socket
import sys
from collections.abc import Iterator

import pytest

from adsvc.kit.process.server import listen, refuse_new

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters sockets")

REQUEST = b"GET /livez HTTP/1.1\r\n\r\n"


@pytest.fixture(params=["127.0.0.1", "::1"])
def listening(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    [sock] = listen(request.param, 0)
    with sock:
        sock.listen()
        yield sock


def test_who_has_connected_already_is_still_served(listening: socket.socket) -> None:
    address = listening.getsockname()[:2]
    with socket.create_connection(address, 5) as early:
        refuse_new([listening])
        # Nobody has accepted it yet, and its request comes afterwards.
        early.sendall(REQUEST)
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.recv(100) == REQUEST
            accepted.sendall(b"answer")
            assert early.recv(100) == b"answer"
            early.shutdown(socket.SHUT_WR)
            assert accepted.recv(100) == b""


@pytest.mark.heavy
def test_who_comes_later_is_not_let_in_and_then_refused(listening: socket.socket) -> None:
    refuse_new([listening])
    with pytest.raises(TimeoutError):
        socket.create_connection(listening.getsockname()[:2], 0.2)
    address = listening.getsockname()[:2]
    listening.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, 5)
