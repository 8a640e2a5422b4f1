"""How migrations get along with the service that runs beside them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError

from adsvc.errors import OperatorError

# As migrations write it, each with what suits it.
LOCK_TIMEOUT = re.compile(r"^\s*SET (LOCAL )?lock_timeout = '[^']+'\s*$")

# Between attempts: a minute in all, and more each time for what holds the lock.
PAUSES = (0.5, 1, 2, 4, 8, 16, 30)

# lock_not_available, deadlock_detected.
IN_THE_WAY = frozenset({"55P03", "40P01"})


class MigrationBlockedError(OperatorError):
    """Somebody held a table for as long as the migration was tried."""


def _tell_nobody(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Manner:
    """`lock_timeout` in seconds takes the place of what each migration says.

    `pauses` are those between attempts, in seconds. `tell` gets a line for each thing that happens.
    """

    lock_timeout: float | None = None
    pauses: tuple[float, ...] = PAUSES
    tell: Callable[[str], None] = _tell_nobody

    def govern(self, connection: Connection) -> None:
        """Has the connection's statements set this timeout, where they set one."""
        if self.lock_timeout is None:
            return
        own = f"{max(1, round(self.lock_timeout * 1000))}ms"

        def replace(*call: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as SQLAlchemy calls it
            _, _, statement, parameters, *_ = call
            return LOCK_TIMEOUT.sub(rf"SET \1lock_timeout = '{own}'", statement), parameters

        event.listen(connection, "before_cursor_execute", replace, retval=True)


def was_in_the_way(error: DBAPIError) -> bool:
    """Whether the statement gave up waiting for others, so that it can be tried again."""
    return getattr(error.orig, "sqlstate", None) in IN_THE_WAY
