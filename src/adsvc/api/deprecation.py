"""Deprecated operations: what their responses and the document say of them.

There is one way to deprecate an operation: `Endpoint.deprecation` in `dependencies.endpoints`.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Both dates are the beginnings of days in UTC."""

    since: date
    # The operation may be removed from then on.
    sunset: date
    # The operation to use instead, as the document names it.
    successor: str

    @property
    def headers(self) -> dict[str, str]:
        """RFC 9745 writes the moment as a structured field, RFC 8594 as an HTTP date."""
        since, sunset = (
            datetime.combine(day, time(), tzinfo=UTC) for day in (self.since, self.sunset)
        )
        return {
            "Deprecation": f"@{int(since.timestamp())}",
            "Sunset": format_datetime(sunset, usegmt=True),
        }
