"""Where the service listens: the same with one worker as with several."""

import errno
import logging
import socket
from typing import Any

from adsvc.errors import OperatorError

logger = logging.getLogger("adsvc.server")

# A machine can have a name for an address of a family that it has not.
ABSENT = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}

# All addresses of both families, which takes one socket.
ANY = "::"


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address of the host, but not yet open to anybody.

    uvicorn binds with several workers to the first address of a name, and with one to IPv6 alone
    where it is told `::`.
    """
    sockets: list[socket.socket] = []
    failure: OSError | None = None
    for family, address in _addresses(host, port):
        # Whatever port was free for the first address is that of the others too.
        chosen = sockets[0].getsockname()[1] if sockets else port
        try:
            sockets.append(_bound(family, (address[0], chosen, *address[2:]), both=host == ANY))
        except OSError as error:
            failure = failure or error
            if error.errno not in ABSENT:
                break
    else:
        if sockets:
            _tell(host, sockets[0])
            return sockets
    for sock in sockets:
        sock.close()
    reason = failure.strerror if failure else "it has no address"
    raise OperatorError(f"ADSVC_HOST, ADSVC_PORT: {host} port {port} cannot be used: {reason}.")


def _addresses(host: str, port: int) -> dict[tuple[int, tuple[Any, ...]], None]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise OperatorError(f"ADSVC_HOST: {host} is no address: {error.strerror}.") from error
    # A name can have one address twice.
    return dict.fromkeys((family, tuple(address)) for family, *_, address in found)


def _tell(host: str, sock: socket.socket) -> None:
    shown = f"[{host}]" if ":" in host else host
    logger.info("Serving on http://%s:%d", shown, sock.getsockname()[1])


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
