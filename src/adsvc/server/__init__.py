"""The HTTP server: uvicorn, which trusts its clients, made to trust them less.

That requests come in reasonable time and size a reverse proxy usually sees to; here it holds
without one.
"""

from adsvc.server.descriptors import raise_limit
from adsvc.server.listening import listen
from adsvc.server.protocol import BoundedProtocol
from adsvc.server.ready import READY, Foreseeing, Head, Header, Ready, new_request_id
from adsvc.server.refusals import REFUSALS, SECURITY_HEADERS, Refusal
from adsvc.server.workers import (
    Workers,
    give_large_blocks_back,
    keep_from_children,
    keep_from_peers,
    leave_what_is_there,
)

__all__ = [
    "READY",
    "REFUSALS",
    "SECURITY_HEADERS",
    "BoundedProtocol",
    "Foreseeing",
    "Head",
    "Header",
    "Ready",
    "Refusal",
    "Workers",
    "give_large_blocks_back",
    "keep_from_children",
    "keep_from_peers",
    "leave_what_is_there",
    "listen",
    "new_request_id",
    "raise_limit",
]
