"""Operations that have a successor: what their responses say, and the document.

There is one way to retire an operation: `Operation.deprecation` in `dependencies.writes`.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import ClassVar

from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Deprecation:
    """From the beginning of these days on, in UTC."""

    since: date
    # From then on the operation may be gone.
    sunset: date
    # The operation to use instead, as the document names it.
    successor: str

    @property
    def headers(self) -> dict[str, str]:
        """RFC 9745 has a moment as a structured field, RFC 8594 as an HTTP date."""
        since, sunset = (
            datetime.combine(day, time(), tzinfo=UTC) for day in (self.since, self.sunset)
        )
        return {
            "Deprecation": f"@{int(since.timestamp())}",
            "Sunset": format_datetime(sunset, usegmt=True),
        }


class DeprecatedRoute(APIRoute):
    deprecation: ClassVar[Deprecation]

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As any route; its refusals say it too."""

        async def send_with_notice(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.deprecation.headers)
            await send(message)

        await super().handle(scope, receive, send_with_notice)
