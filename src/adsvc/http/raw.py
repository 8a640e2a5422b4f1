"""Answers that are known as soon as the head of their request is."""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

# The extension of ASGI by which an application sends a `Ready` in one piece: a function that
# takes it, and says whether it did.
RAW_RESPONSE = "adsvc.ready"

Header = tuple[bytes, bytes]


def new_request_id() -> str:
    """A random UUID (RFC 9562 §5.4). It names a request, and nobody gains by guessing it."""
    text = f"{random.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


# Where a request has the id that a trusted proxy gave it.
GIVEN_REQUEST_ID = "adsvc.request_id"

UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def request_id_of(scope: Mapping[str, Any]) -> str:
    """The one that was given to the request, or a new one."""
    return scope.get(GIVEN_REQUEST_ID) or new_request_id()


def encode(headers: Sequence[Header]) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers])


class SharedHeaders:
    """What the heads of many answers have in common, encoded once."""

    __slots__ = ("encoded", "headers")

    def __init__(self, headers: Sequence[Header]) -> None:
        self.headers = tuple(headers)
        self.encoded = encode(headers)


NOTHING_SHARED = SharedHeaders(())


class RawHead:
    """The head of an answer that is given many times, encoded once."""

    __slots__ = ("_own", "_shared", "encoded", "status")

    def __init__(
        self, status: int, own: Sequence[Header], shared: SharedHeaders = NOTHING_SHARED
    ) -> None:
        self.status = status
        self._own, self._shared = own, shared
        self.encoded = STATUS_LINE[status] + encode(own) + shared.encoded

    @property
    def headers(self) -> Sequence[Header]:
        return (*self._own, *self._shared.headers)


class RawResponse(NamedTuple):
    """`own` is what distinguishes this answer from others with the same head."""

    head: RawHead
    own: Sequence[Header]
    body: bytes


@runtime_checkable
class ImmediateApplication(Protocol):
    """An ASGI application that may have an answer at once, for which no task need be made."""

    def immediate_response(self, scope: Any) -> RawResponse | None:  # noqa: ANN401 - each library has its own type
        """The scope is the one that the application would be called with."""
