"""asyncpg connections as this service uses them."""

import select
import socket
from functools import cached_property
from typing import Any, ClassVar

import asyncpg

from adsvc.db.connections.addresses import Address
from adsvc.db.observation import Server

# How connections show in pg_stat_activity. PostgreSQL cuts off what is longer.
NAME = "adsvc"
NAME_BYTES = 63


class Node:
    """This process's part of the names of connections."""

    name: ClassVar[str] = socket.gethostname()


def connection_name(purpose: str) -> str:
    """`adsvc/NODE/POOL`; of a node with a long name the beginning."""
    room = NAME_BYTES - len(f"{NAME}//{purpose}")
    node = Node.name.encode("ascii", "replace").decode()
    return f"{NAME}/{node[:room]}/{purpose}"


class Connection(asyncpg.Connection):  # type: ignore[misc]
    # The server at its other end, and when it was made, by the monotonic clock.
    address: Address | None = None
    made_at: float = 0
    # Whether it leads to a server that is not as wanted, for want of one that is.
    stand_in: bool = False
    # How much of the write-ahead log a replica had replayed, in bytes, and when it said so.
    replayed: int = -1
    asked_at: float = float("-inf")
    # What each transaction sets for itself, where a pooler may give it any connection.
    opening: str = ""
    # Whether SQLAlchemy's pool has not given it out yet.
    is_new: bool = True

    @property
    def server(self) -> Server:
        return Server.of(self._addr, self._params.database)

    @property
    def has_ended(self) -> bool:
        """Of a connection at rest: closed, or with something to read that has not been read yet.

        A server says unasked that it ends a session, and next to nothing else. To look costs a
        microsecond; the event loop may take a while to notice by itself.
        """
        return self.is_closed() or bool(self._arrivals.poll(0))

    @cached_property
    def _arrivals(self) -> select.poll:
        arrivals = select.poll()
        arrivals.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return arrivals

    def get_reset_query(self) -> str:
        """Reads leave nothing behind that a round trip would have to clear."""
        return ""

    async def execute(
        self,
        query: str,
        *args: Any,  # noqa: ANN401 - asyncpg's
        timeout: float | None = None,  # noqa: ASYNC109 - asyncpg's
    ) -> str:
        """The settings of a transaction go along with its beginning, in one round trip."""
        if self.opening and query.startswith("BEGIN"):
            query = f"{query.rstrip(';')};{self.opening}"
        result: str = await super().execute(query, *args, timeout=timeout)
        return result

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - its own
        """SQLAlchemy sets a timeout to let go of a connection that failed, and would wait it out.

        A database that did not answer will not answer the farewell either.
        """
        if timeout is None:
            await super().close()
        else:
            self.terminate()
