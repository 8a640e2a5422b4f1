"""Who goes when there are more connections than the process can have.

Connections cost little to open, and one that waits for its client is closed by its deadline only.
"""

import logging
from collections import Counter
from collections.abc import Collection
from heapq import nsmallest
from typing import Protocol

logger = logging.getLogger("adsvc.server")

# So many are closed at once, as a part of all, because to choose takes a look at all of them.
SHARE = 16

# The statuses of what the protocol class refuses.
REFUSALS = (400, 408, 431)


class Traffic:
    """The open connections of a process, and its refusals by their status."""

    def __init__(self) -> None:
        self.connections: Collection[object] = ()
        self.refused = Counter(dict.fromkeys(REFUSALS, 0))


class Connection(Protocol):
    household: str

    @property
    def waits_until(self) -> float | None:
        """When an idle client will be cut off. None while the service is the one to act."""

    def cut_off(self) -> None:
        """Closes it without another word."""


def make_room(connections: Collection[Connection]) -> None:
    """Closes connections that wait for their clients.

    The household that has the most gives first, and of its connections those that would be closed
    soonest anyway: idle ones before uploads. So who takes all the room loses it to those who come.
    """
    held = Counter(connection.household for connection in connections)
    waiting = [
        (-held[connection.household], until, number, connection)
        for number, connection in enumerate(connections)
        if (until := connection.waits_until) is not None
    ]
    leaving = nsmallest(max(1, len(connections) // SHARE), waiting)
    for *_, connection in leaving:
        connection.cut_off()
    logger.warning(
        "There are %d connections, more than can be had; %d that waited for their clients are "
        "closed.", len(connections), len(leaving),
    )  # fmt: skip
