"""Plain ASGI: what surrounds every request, found or not."""

import logging
import time
import uuid

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adsvc.api.errors import as_refusal, problem_response

access_log = logging.getLogger("adsvc.access")


class RequestContext:
    """Gives the request an id, answers what nobody caught, and writes one line to the log.

    The id is made here and never taken from the client, whose words are not echoed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        request_id = str(uuid.uuid4())
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        except Exception as error:
            if status:
                # Too late for another answer: the server cuts the connection.
                raise
            refusal = as_refusal(error, request_id)
            await problem_response(refusal, request_id)(scope, receive, send_with_id)
        finally:
            route = scope.get("route")
            access_log.info(
                "request",
                extra={
                    "request_id": request_id,
                    "method": scope["method"],
                    # The template, not the path: paths are the client's words.
                    "route": getattr(route, "path_format", getattr(route, "path", None)),
                    "status": status,
                    "duration_ms": round((time.perf_counter() - began) * 1000, 2),
                    "user_id": scope["state"].get("user_id"),
                },
            )


class HeadAsGet:
    """Every GET also answers HEAD: the same headers without the body (RFC 9110 §9.3.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        as_get = {**scope, "method": "GET"}
        await self.app(as_get, receive, send_without_body)
        scope["route"] = as_get.get("route")
