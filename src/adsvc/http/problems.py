"""Answers that the server gives before, or without, the application."""

import json
from dataclasses import dataclass

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from adsvc.http.headers import secured
from adsvc.http.raw import encode


@dataclass(frozen=True, slots=True)
class ProtocolProblem:
    """A problem (RFC 9457) that ends the connection before the application sees a request."""

    status: int
    slug: str
    title: str
    explanation: str

    def answer(self, request_id: str) -> bytes:
        body = json.dumps(
            {
                "type": f"/problems#{self.slug}",
                "title": self.title,
                "status": self.status,
                "detail": self.explanation,
                "instance": f"urn:uuid:{request_id}",
            }
        ).encode()
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        return STATUS_LINE[self.status] + encode(secured(headers)) + b"\r\n" + body


BAD_REQUEST = ProtocolProblem(
    400,
    "malformed-http",
    "The request is not valid HTTP",
    "What arrived cannot be read as an HTTP/1.1 request.",
)

TIMED_OUT = ProtocolProblem(
    408,
    "request-timeout",
    "The request did not arrive in time",
    "The head of a request, and then its body, must be complete within a time each.",
)

HEADERS_TOO_LARGE = ProtocolProblem(
    431,
    "headers-too-large",
    "The request line or the headers are too large",
    "Their size together and the number of headers are limited.",
)

PROTOCOL_PROBLEMS = (BAD_REQUEST, TIMED_OUT, HEADERS_TOO_LARGE)
