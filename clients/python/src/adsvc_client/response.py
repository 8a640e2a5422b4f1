"""The answer that data came with."""

from dataclasses import dataclass
from datetime import UTC, datetime

import httpx2


@dataclass(frozen=True)
class ResponseInfo:
    status: int
    headers: httpx2.Headers

    @property
    def etag(self) -> str | None:
        return _text(self.headers, "ETag")

    @property
    def request_id(self) -> str | None:
        """Names the request in the log of the service."""
        return _text(self.headers, "X-Request-Id")


def _text(headers: httpx2.Headers, name: str) -> str | None:
    value: str | None = headers.get(name)
    return value


def info_of(response: httpx2.Response) -> ResponseInfo:
    return ResponseInfo(response.status_code, response.headers)


def datetime_of(milliseconds: int) -> datetime:
    """A moment of a record, such as `ad.created_at`, in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
