"""An S3 in memory, as much of it as an image store asks for.

It is quick to start and can be told to fail. It checks no signatures. That it answers as a real one
does is for the suite of the stores to show, which runs against versitygw too (`make drill`).
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from hashlib import md5
from itertools import islice
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from support.running.threads import served
from support.s3.server import ACCESS_KEY, BUCKET, S3Server, free_port

LARGEST_PAGE = 1000
NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class Trouble(Enum):
    """What every request meets: status and code, or no answer at all."""

    FORBIDDEN = 403, "AccessDenied"
    # What versitygw says of an access key that it does not know.
    UNKNOWN_KEY = 404, "XAdminUserNotFound"
    FULL = 507, "InsufficientCapacity"
    BROKEN = 500, "InternalError"
    HANGING = 0, ""


@dataclass
class Object:
    data: bytes
    headers: dict[str, str]
    written: datetime

    @property
    def etag(self) -> str:
        return f'"{md5(self.data, usedforsecurity=False).hexdigest()}"'


@dataclass
class LightS3:
    """`buckets` are objects by key, by the name of the bucket."""

    buckets: dict[str, dict[str, Object]] = field(default_factory=lambda: {BUCKET: {}})
    trouble: Trouble | None = None
    # Of requests with one of these methods.
    troubled: frozenset[str] = frozenset({"GET", "HEAD", "PUT", "POST", "DELETE"})
    # So many of those requests go well before the trouble begins.
    spared: int = 0
    # The trouble passes after so many; None if it lasts.
    passing: int | None = None
    # The method of every request.
    seen_methods: list[str] = field(default_factory=list)
    # Keys that DeleteObjects does not delete.
    held: set[str] = field(default_factory=set)
    # How far its clock is from that of the machine.
    ahead: timedelta = timedelta()
    # How long each request takes, and how many were under way at once.
    seconds: float = 0
    most_at_once: int = 0
    _at_once: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = _decoded(request, await request.body())
        self.seen_methods.append(request.method)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        self._at_once -= 1
        response = await self._troubled(request) or self._answer(request, body)
        await response(scope, receive, send)

    async def _troubled(self, request: Request) -> Response | None:
        if self.trouble is None or request.method not in self.troubled:
            return None
        if self.spared > 0:
            self.spared -= 1
            return None
        trouble = self.trouble
        if self.passing is not None:
            self.passing -= 1
            if self.passing <= 0:
                self.trouble = self.passing = None
        if trouble is Trouble.HANGING:
            # A test changes it in another thread.
            while self.trouble is trouble and not await request.is_disconnected():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            # It goes on where it was, if the client still waits.
            return _error(500, "InternalError") if await request.is_disconnected() else None
        return _error(*trouble.value)

    def _answer(self, request: Request, body: bytes) -> Response:  # noqa: PLR0911 - a table
        if f"Credential={ACCESS_KEY}/" not in request.headers.get("authorization", ""):
            return _error(403, "InvalidAccessKeyId")
        bucket, _, key = unquote(request.url.path).removeprefix("/").partition("/")
        objects = self.buckets.get(bucket)
        if objects is None:
            return _error(404, "NoSuchBucket")
        match request.method:
            case "GET" if not key:
                return _listing(objects, request)
            case "HEAD" if not key:
                return Response()
            case "GET" | "HEAD":
                return _read(objects.get(key), request)
            case "PUT":
                return self._write(objects, key, request, body)
            case "POST" if "delete" in request.query_params:
                return self._delete(objects, body)
            case "DELETE":
                objects.pop(key, None)
                return Response(status_code=204)
        return _error(501, "NotImplemented")

    def _write(
        self, objects: dict[str, Object], key: str, request: Request, body: bytes
    ) -> Response:
        if request.headers.get("if-none-match") == "*" and key in objects:
            return _error(412, "PreconditionFailed")
        stored = {
            name: text
            for name, text in request.headers.items()
            if name in {"content-type", "cache-control"}
        }
        made = Object(body, stored, datetime.now(UTC) + self.ahead)
        source = request.headers.get("x-amz-copy-source")
        if source is not None:
            bucket, _, name = unquote(source).removeprefix("/").partition("/")
            found = self.buckets.get(bucket, {}).get(name)
            if found is None:
                return _error(404, "NoSuchKey")
            made = Object(found.data, found.headers, made.written)
        objects[key] = made
        if source is None:
            return Response(headers={"etag": made.etag})
        return _xml(
            f"<CopyObjectResult><ETag>{made.etag}</ETag>"
            f"<LastModified>{made.written:%Y-%m-%dT%H:%M:%SZ}</LastModified></CopyObjectResult>"
        )

    def _delete(self, objects: dict[str, Object], body: bytes) -> Response:
        members = ""
        for element in ET.fromstring(body).iter():  # noqa: S314 - by the tests
            if element.tag.removeprefix(NAMESPACE) != "Key":
                continue
            key = element.text or ""
            if key in self.held:
                members += f"<Error><Key>{escape(key)}</Key><Code>AccessDenied</Code></Error>"
                continue
            objects.pop(key, None)
            members += f"<Deleted><Key>{escape(key)}</Key></Deleted>"
        return _xml(f"<DeleteResult>{members}</DeleteResult>")

    def restore(self) -> None:
        """No trouble, and one empty bucket."""
        self.__init__()  # type: ignore[misc]

    def put(self, key: str, data: bytes) -> None:
        self.buckets[BUCKET][key] = Object(data, {}, datetime.now(UTC))

    def age(self, key: str, seconds: float) -> None:
        self.buckets[BUCKET][key].written -= timedelta(seconds=seconds)


def _decoded(request: Request, body: bytes) -> bytes:
    """Of a body in signed chunks (aws-chunked), as restic sends it without TLS."""
    if not request.headers.get("x-amz-content-sha256", "").startswith("STREAMING-"):
        return body
    decoded, rest = b"", body
    while rest:
        head, _, rest = rest.partition(b"\r\n")
        size = int(head.partition(b";")[0], 16)
        decoded, rest = decoded + rest[:size], rest[size + 2 :]
    return decoded


def _listing(objects: dict[str, Object], request: Request) -> Response:
    query = request.query_params
    after = query.get("continuation-token") or query.get("start-after") or ""
    size = min(int(query.get("max-keys", LARGEST_PAGE)), LARGEST_PAGE)
    keys = (
        key for key in sorted(objects) if key.startswith(query.get("prefix", "")) and key > after
    )
    page = list(islice(keys, size + 1))
    more, page = len(page) > size, page[:size]
    members = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{len(objects[key].data)}</Size>"
        f"<ETag>{objects[key].etag}</ETag>"
        f"<LastModified>{objects[key].written:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
        for key in page
    )
    if more:
        members += f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>"
    return _xml(
        f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>"
        f"<KeyCount>{len(page)}</KeyCount>{members}</ListBucketResult>"
    )


def _read(found: Object | None, request: Request) -> Response:
    if found is None:
        return _error(404, "NoSuchKey")
    size = len(found.data)
    headers = {
        **found.headers,
        "etag": found.etag,
        "last-modified": f"{found.written:%a, %d %b %Y %H:%M:%S GMT}",
        "accept-ranges": "bytes",
    }
    span = request.headers.get("range")
    if span is None:
        return Response(found.data, headers=headers)
    first, _, last = span.removeprefix("bytes=").partition("-")
    start, stop = int(first), min(int(last or size), size - 1) + 1
    if start >= size:
        return _error(416, "InvalidRange")
    headers["content-range"] = f"bytes {start}-{stop - 1}/{size}"
    return Response(found.data[start:stop], 206, headers)


def _xml(text: str) -> Response:
    return Response(f'<?xml version="1.0" encoding="UTF-8"?>{text}', media_type="application/xml")


def _error(status: int, code: str) -> Response:
    response = _xml(f"<Error><Code>{code}</Code><Message>{code}</Message></Error>")
    response.status_code = status
    return response


@contextmanager
def light_s3() -> Iterator[tuple[S3Server, LightS3]]:
    s3, port = LightS3(), free_port()
    with served(s3, port, "light-s3"):
        yield S3Server(f"http://127.0.0.1:{port}"), s3
