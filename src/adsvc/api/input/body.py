"""Bodies of requests in pieces, within a limit."""

from collections.abc import AsyncGenerator

from fastapi import Request
from starlette.requests import ClientDisconnect

from adsvc.errors import ClientGoneError, ContentTooLargeError, EncodedBodyError


async def limited(request: Request, what: str, limit: int) -> AsyncGenerator[bytes, None]:
    """The body in pieces; refused by its declared length if there is one, else as it grows.

    None is decoded: a small one may become large.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise EncodedBodyError
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise ContentTooLargeError(what, limit)
    received = 0
    try:
        async for piece in request.stream():
            received += len(piece)
            if received > limit:
                raise ContentTooLargeError(what, limit)
            yield piece
    except ClientDisconnect:
        raise ClientGoneError from None


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def has_body(request: Request) -> bool:
    """Whether the head announces one."""
    length = request.headers.get("content-length", "0")
    return length != "0" or "transfer-encoding" in request.headers
