"""Claims of deliveries, and circuit breakers of receivers: webhooks and the browsers of Web Push.

A table of receivers has `failures` (in a row), `failing_since` and `paused_until`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A delivery that is this worker's for a while."""

    id: int
    # Begun so far, this one included.
    attempts: int
    claimed_until: datetime

    @property
    def identity(self) -> tuple[int, int, datetime]:
        """What no other claim has."""
        return self.id, self.attempts, self.claimed_until


class Circuit(NamedTuple):
    """After so many failures in a row it opens; each pause is twice as long as the one before."""

    failures: int
    first_seconds: float
    longest_seconds: float


# Assignments after a success.
CLOSED = "failures = 0, failing_since = NULL, paused_until = NULL"


def after_failure(failures: str, first_seconds: str, longest_seconds: str) -> str:
    """Assignments after a failure. The arguments are parameters with the members of `Circuit`."""
    return f"""
        failures = failures + 1, failing_since = coalesce(failing_since, now()),
        paused_until = CASE WHEN failures + 1 >= {failures}::int THEN now() + make_interval(
            secs => least({longest_seconds}::float8, {first_seconds}::float8 * 2 ^ least(
                failures + 1 - {failures}::int, 20
            ))
        ) END
    """


def has_failed_for(seconds: str) -> str:
    """Whether every attempt of the last so many seconds has failed."""
    return f"failing_since < now() - make_interval(secs => {seconds}::float8)"
