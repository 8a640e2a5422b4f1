"""Heads of requests that two servers in a row could read differently (RFC 9112 §11.2)."""

import re
from collections.abc import Iterable

from adsvc.http.raw import Header

VERSIONS = {"1.0", "1.1"}

# RFC 9110 §7.2: a name or an address, and a port. It may be empty.
HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")

# What the parser heeds in trailers too, where it says nothing (RFC 9110 §6.5.1).
NO_TRAILERS = {b"connection", b"proxy-connection", b"upgrade"}


def is_clear(version: str, headers: Iterable[Header]) -> bool:
    """The parser has seen to lengths that contradict each other."""
    hosts = 0
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if HOST.fullmatch(value) is None:
                return False
        elif name == b"transfer-encoding" and (value.lower() != b"chunked" or version != "1.1"):
            # Codings that nobody here undoes, or an older protocol that has none (RFC 9112 §6.1).
            return False
    return version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))
