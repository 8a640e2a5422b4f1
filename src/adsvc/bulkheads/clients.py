"""For whom work is done, and whether they still wait for it."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Party:
    """An account and the networks it calls from, each of which has a share of a bulkhead.

    `networks` begin with the client's own and go on with those around it, the widest last.
    """

    account: Hashable | None = None
    networks: tuple[str, ...] = ()

    @property
    def widest(self) -> str | None:
        """What one person may have as a whole, with all the addresses in it."""
        return self.networks[-1] if self.networks else None


ANYBODY = Party()


class Presence:
    """Whether the client of a connection is still there."""

    __slots__ = ("_watching", "is_gone")

    def __init__(self) -> None:
        self.is_gone = False
        self._watching: list[Callable[[], None]] = []

    @contextmanager
    def watched(self, on_leaving: Callable[[], None]) -> Iterator[None]:
        """Calls the function if the client leaves during the block."""
        self._watching.append(on_leaving)
        try:
            yield
        finally:
            self._watching.remove(on_leaving)

    def leave(self) -> None:
        self.is_gone = True
        for act in tuple(self._watching):
            act()


# Of the client whose request this task carries out. None if that is not known.
presence: ContextVar[Presence | None] = ContextVar("presence", default=None)

# Its key in the state of a scope.
PRESENCE = "presence"

# Around what a task waits for without work for this process.
idle: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "idle", default=nullcontext
)
