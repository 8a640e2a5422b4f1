"""One connection to PostgreSQL: its address, its settings, and what observes its statements."""

import select
import socket
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import asyncpg
from sqlalchemy.engine import URL


class Server(NamedTuple):
    """The server that answered: a host with its port, or the path of a socket, and the database."""

    address: str
    port: int | None
    database: str

    @classmethod
    def of(cls, address: tuple[str, int] | str, database: str) -> "Server":
        """As asyncpg has them."""
        host, port = (address, None) if isinstance(address, str) else address[:2]
        return cls(host, port, database)


# The SQL, how many seconds it took, what came of it if it failed, and who answered, if known.
Observer = Callable[[str, float, BaseException | None, Server | None], None]


class ConnectionDefaults:
    """What all connections of this process have; set before the first of them is made.

    Not a part of the application's state, as commands that have none make connections too.
    """

    # The process's part of the connections' names.
    node: ClassVar[str] = socket.gethostname()
    # Called for every statement; without one nothing is measured.
    observer: ClassVar[Observer | None] = None


# Host and port; without a host asyncpg looks where PostgreSQL usually is.
Address = tuple[str | None, int | None]


def addresses(url: URL) -> list[Address]:
    """Where the servers are; several stand in `host`, as `settings.database_urls` leaves them."""
    port = url.port or url.query.get("port")
    usual = int(str(port)) if port else None
    hosts = url.host or url.query.get("host")
    if hosts is None:
        return [(None, usual)]
    return [_address(host, usual) for host in ((hosts,) if isinstance(hosts, str) else hosts)]


def _address(text: str, usual: int | None) -> Address:
    host, _, port = text.rpartition(":")
    if text.startswith("["):
        # The colons of an IPv6 address are within brackets.
        return (host[1:-1], int(port)) if host.endswith("]") else (text[1:-1], usual)
    if text.count(":") == 1 and not text.startswith("/"):
        return host, int(port)
    return text, usual


def location(url: URL) -> str:
    """Where the database is, for messages: no user and no password."""
    return f"{url.database} on {', '.join(map(_place, addresses(url)))}"


def each_alone(url: URL) -> Mapping[str, URL]:
    """A URL for each of the servers, whatever it is now, by a name of it for operators."""
    url = url.difference_update_query(["target_session_attrs"])
    hosts = url.query.get("host")
    if hosts is None or isinstance(hosts, str):
        return {_place(addresses(url)[0]): url}
    alone = [url.update_query_dict({"host": host}) for host in hosts]
    return {_place(addresses(one)[0]): one for one in alone}


def _place(address: Address) -> str:
    host, port = address
    return (host or "localhost") + (f":{port}" if port else "")


# How connections show in pg_stat_activity. PostgreSQL cuts off what is longer.
NAME = "adsvc"
NAME_BYTES = 63


def connection_name(purpose: str) -> str:
    """`adsvc/NODE/POOL`; of a node with a long name the beginning."""
    room = NAME_BYTES - len(f"{NAME}//{purpose}")
    node = ConnectionDefaults.node.encode("ascii", "replace").decode()
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
