"""Connections to the wanted server: the one that accepts writes is found among several."""

import asyncio
import select
import socket
import time
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from random import shuffle
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode

import asyncpg
from sqlalchemy.engine import URL

from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.errors import DatabaseUnavailableError


class DatabaseServer(NamedTuple):
    """The server that answered: a host with its port, or the path of a socket, and the database."""

    address: str
    port: int | None
    database: str

    @classmethod
    def of(cls, address: tuple[str, int] | str, database: str) -> "DatabaseServer":
        """From asyncpg's form of an address."""
        host, port = (address, None) if isinstance(address, str) else address[:2]
        return cls(host, port, database)


# Gets the SQL, the seconds it took, its error if it failed, and the server if known.
Observer = Callable[[str, float, BaseException | None, DatabaseServer | None], None]


class ConnectionDefaults:
    """Settings of all connections of this process, set before the first one is made.

    Not a part of `AppState`, because commands without one make connections too.
    """

    # The part of the connections' names that names the node.
    node: ClassVar[str] = socket.gethostname()
    # Called for every statement, if it is set.
    observer: ClassVar[Observer | None] = None


# Host and port. Without a host asyncpg uses PostgreSQL's usual places.
Address = tuple[str | None, int | None]


def addresses(url: URL) -> list[Address]:
    """The servers' addresses. `settings.database_urls` puts several of them into `host`."""
    port = url.port or url.query.get("port")
    default = int(str(port)) if port else None
    hosts = url.host or url.query.get("host")
    if hosts is None:
        return [(None, default)]
    return [_address(host, default) for host in ((hosts,) if isinstance(hosts, str) else hosts)]


def _address(text: str, default: int | None) -> Address:
    host, _, port = text.rpartition(":")
    if text.startswith("["):
        # The colons of an IPv6 address are within brackets.
        return (host[1:-1], int(port)) if host.endswith("]") else (text[1:-1], default)
    if text.count(":") == 1 and not text.startswith("/"):
        return host, int(port)
    return text, default


def location(url: URL) -> str:
    """Name and hosts of the database, for log messages: no user and no password."""
    return f"{url.database} on {', '.join(map(_place, addresses(url)))}"


def each_alone(url: URL) -> Mapping[str, URL]:
    """A URL for each server, in whatever role, by a name for operators."""
    url = url.difference_update_query(["target_session_attrs"])
    hosts = url.query.get("host")
    if hosts is None or isinstance(hosts, str):
        return {_place(addresses(url)[0]): url}
    alone = [url.update_query_dict({"host": host}) for host in hosts]
    return {_place(addresses(one)[0]): one for one in alone}


def _place(address: Address) -> str:
    host, port = address
    return (host or "localhost") + (f":{port}" if port else "")


# The beginning of connections' names in pg_stat_activity. PostgreSQL cuts off longer names.
NAME = "adsvc"
NAME_BYTES = 63


def connection_name(purpose: str) -> str:
    """`adsvc/NODE/POOL`; a long name of a node is cut."""
    room = NAME_BYTES - len(f"{NAME}//{purpose}")
    node = ConnectionDefaults.node.encode("ascii", "replace").decode()
    return f"{NAME}/{node[:room]}/{purpose}"


class ServerConnection(asyncpg.Connection):  # type: ignore[misc]
    # The server's address, and when the connection was made, by the monotonic clock.
    address: Address | None = None
    made_at: float = 0
    # Whether it leads to a fallback: another server than the wanted one.
    fallback: bool = False
    # The position that the replica had replayed, in bytes, and when it was checked.
    replayed: int = -1
    checked_at: float = float("-inf")
    # SET commands sent with each BEGIN, behind a pooler that may lend it any connection.
    opening: str = ""
    # True until SQLAlchemy's pool gives it out.
    is_new: bool = True

    @property
    def server(self) -> DatabaseServer:
        return DatabaseServer.of(self._addr, self._params.database)

    @property
    def has_ended(self) -> bool:
        """Whether an idle connection is closed, or has something to read that was not read yet.

        A server sends hardly anything unrequested but the end of a session. The check costs a
        microsecond; the event loop may notice only later.
        """
        return self.is_closed() or bool(self._arrivals.poll(0))

    @cached_property
    def _arrivals(self) -> select.poll:
        arrivals = select.poll()
        arrivals.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return arrivals

    def get_reset_query(self) -> str:
        """Empty: reads leave nothing behind that would need a round trip."""
        return ""

    async def execute(
        self,
        query: str,
        *args: Any,  # noqa: ANN401 - asyncpg's
        timeout: float | None = None,  # noqa: ASYNC109 - asyncpg's
    ) -> str:
        """Sends the settings of a transaction with its BEGIN, in one round trip."""
        if self.opening and query.startswith("BEGIN"):
            query = f"{query.rstrip(';')};{self.opening}"
        result: str = await super().execute(query, *args, timeout=timeout)
        return result

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - its own
        """Closes at once if there is a timeout, which SQLAlchemy passes for one that failed.

        A database that did not answer will not answer the closing either.
        """
        if timeout is None:
            await super().close()
        else:
            self.terminate()


# Conditions that exclude a server, by libpq's `target_session_attrs`.
UNWANTED = {
    "any": "false",
    "read-write": "current_setting('transaction_read_only') = 'on'",
    "primary": "pg_is_in_recovery()",
    "read-only": "current_setting('transaction_read_only') = 'off'",
    "standby": "NOT pg_is_in_recovery()",
}

# Raises the error that PostgreSQL raises while it starts. One simple query leaves nothing behind in
# a pooler, and can be sent together with others.
NOT_WANTED = "the server is not "
CHECK = (
    "DO $$ BEGIN IF {unwanted} THEN RAISE cannot_connect_now USING MESSAGE = "
    f"'{NOT_WANTED}{{wanted}}'; END IF; END $$;"
)

# The least time between two invalidations. A client that can make writes fail must not force all
# connections to be made again each time.
INVALIDATION_SECONDS = 2.0

CONNECT_SECONDS = 60.0

# While no server can be used, one connection in this time looks for one. All others are refused at
# once.
PROBE_SECONDS = 0.5

# How long a fallback is used before the wanted server is tried again.
FALLBACK_SECONDS = 2.0


class Servers:
    """Connects to a wanted server; the server that was wanted last is tried first.

    Each server gets its part of the time, so that one that does not answer leaves time for the
    others. A connection is used again while the latest one leads to the same server, and was made
    after the last invalidation. If no server is as wanted, reads may use another one as a fallback:
    a standby has all acknowledged writes, if it replicates synchronously.

    It is a circuit breaker too: without a wanted server, one caller at a time looks for one.
    Otherwise each refused request would open a connection to each server.
    """

    def __init__(self, url: URL, *, by_transaction: bool = False, replicas: bool = False) -> None:
        self.url = url
        # Whether a pooler gives each transaction any free connection to PostgreSQL.
        self.by_transaction = by_transaction
        self._order = addresses(url)
        if replicas:
            # Each process uses one of the replicas, and processes use different ones.
            shuffle(self._order)
        self.several = len(self._order) > 1
        default = "read-write" if self.several and not replicas else "any"
        wanted = str(url.query.get("target_session_attrs", default))
        self._check = (
            "" if wanted == "any" else CHECK.format(unwanted=UNWANTED[wanted], wanted=wanted)
        )
        self._options = _options(url)
        if by_transaction:
            # The next statement may get a connection that has not prepared it.
            self._options["statement_cache_size"] = 0
        self._current: Address | None = None
        self._fallback: Address = (None, None)
        self._answered_at = self._found_at = self._invalidated_at = float("-inf")
        # The error of the last search for a server, if it failed, and when to search again.
        self._fault: Exception | None = None
        self._probe_at = float("-inf")

    async def connect(
        self,
        *,
        timeout: float = CONNECT_SECONDS,  # noqa: ASYNC109 - it is shared out
        server_settings: Mapping[str, str] | None = None,
        fallback: bool = False,
        purpose: str = "command",
        **options: Any,  # noqa: ANN401 - as asyncpg's
    ) -> ServerConnection:
        """A new connection with its `purpose`, such as the pool's name, in its name.

        With `fallback` it may lead to a server that answers but is not the wanted one, if there is
        no other.

        Raises `DatabaseUnavailableError` if none can be made, or the server's error. While there is
        no server, it raises the error of the last search.
        """
        # PgBouncer rejects connections that begin with settings that it does not know.
        settings = _set_commands(server_settings or {}, local=self.by_transaction)
        opening = "" if self.by_transaction else settings
        deadline = time.monotonic() + timeout
        options = {**options, "server_settings": {"application_name": connection_name(purpose)}}
        connection: ServerConnection | None = None
        spare = fallback and bool(self._check)
        refused = self._fault is not None and time.monotonic() < self._probe_at
        if not (spare and self._has_fallback(refused=refused)):
            if self._fault is not None and refused:
                # Several callers raise the same error object.
                raise self._fault.with_traceback(None)
            try:
                connection = await self._look_for_wanted(deadline, opening, options, spare)
            except (DatabaseUnavailableError, asyncpg.PostgresError):
                if not (spare and self._has_fallback()):
                    raise
        if connection is None:
            share = deadline - time.monotonic()
            connection = await self._connect(self._fallback, share, opening, options)
            connection.fallback = True
        connection.opening = settings if self.by_transaction else ""
        return connection

    async def _look_for_wanted(
        self,
        deadline: float,
        opening: str,
        options: Mapping[str, Any],
        spare: bool,  # noqa: FBT001 - added to the number of shares
    ) -> ServerConnection:
        """As `_connect_wanted`. If it finds none, all other callers are refused for a while."""
        self._probe_at = deadline
        try:
            connection = await self._connect_wanted(deadline, opening, options, spare)
        except BaseException as error:
            self._probe_at = time.monotonic() + PROBE_SECONDS
            if isinstance(error, Exception) and is_database_fault(error):
                self._fault = error
            raise
        self._fault = None
        return connection

    async def _connect_wanted(
        self,
        deadline: float,
        opening: str,
        options: Mapping[str, Any],
        spare: bool,  # noqa: FBT001 - added to the number of shares
    ) -> ServerConnection:
        """Remembers a server that answered but is not wanted.

        With `spare`, a share of the time is left for a connection to that one.
        """
        order = tuple(self._order)
        failure: Exception = DatabaseUnavailableError()
        for number, address in enumerate(order):
            share = (deadline - time.monotonic()) / (len(order) - number + spare)
            try:
                connection = await self._connect(address, share, opening + self._check, options)
            except Exception as error:
                if not is_database_fault(error):
                    raise
                failure = error
                self._put(address, len(order) - 1)
                # A server that is starting raises the same error, and cannot be read either.
                if isinstance(error, asyncpg.CannotConnectNowError) and NOT_WANTED in str(error):
                    self._fallback, self._answered_at = address, time.monotonic()
            else:
                self._put(address, 0)
                self._current, self._found_at = address, connection.made_at
                return connection
        raise failure

    async def _connect(
        self, address: Address, seconds: float, opening: str, options: Mapping[str, Any]
    ) -> ServerConnection:
        host, port = address
        try:
            # asyncpg passes errors of the socket on; a timeout is an `OSError` too.
            async with asyncio.timeout(seconds):
                connection: ServerConnection = await asyncpg.connect(
                    **{**self._options, **options},
                    host=host,
                    port=port,
                    timeout=seconds,
                    target_session_attrs="any",
                    connection_class=ServerConnection,
                )
                connection.address, connection.made_at = address, time.monotonic()
                if opening:
                    await _execute(connection, opening)
                if (observer := ConnectionDefaults.observer) is not None:
                    connection.add_query_logger(partial(_report, observer))
        except (OSError, asyncpg.InterfaceError) as error:
            raise DatabaseUnavailableError from error
        return connection

    def _has_fallback(self, *, refused: bool = False) -> bool:
        """Whether a fallback answered recently, so a new connection need not wait for silent ones.

        While another caller searches for the wanted server, the last one that answered is used.
        """
        until = self._answered_at + FALLBACK_SECONDS
        return self._answered_at > self._found_at and (refused or time.monotonic() < until)

    def _put(self, address: Address, place: int) -> None:
        if self._order[place] != address:
            self._order.remove(address)
            self._order.insert(place, address)

    def is_current(self, connection: ServerConnection) -> bool:
        if connection.fallback:
            # A fallback is not current once a wanted server was found.
            until = connection.made_at + FALLBACK_SECONDS
            return connection.made_at > self._found_at and time.monotonic() < until
        return connection.address == self._current and connection.made_at > self._invalidated_at

    def invalidate_connections(self) -> None:
        """The server may no longer be the primary, so its connections are not used again."""
        now = time.monotonic()
        if now - self._invalidated_at > INVALIDATION_SECONDS:
            self._invalidated_at = now

    async def confirm(self, connection: ServerConnection) -> None:
        """Checks the server in one round trip. Raises as `connect` if it is no longer as wanted."""
        await connection.execute(self._check or "SELECT")


def _report(observer: Observer, query: Any) -> None:  # noqa: ANN401 - asyncpg's LoggedQuery
    """Called by asyncpg in the context of the statement."""
    server = DatabaseServer.of(query.conn_addr, query.conn_params.database)
    observer(query.query, query.elapsed, query.exception, server)


async def _execute(connection: ServerConnection, commands: str) -> None:
    try:
        await connection.execute(commands)
    except BaseException:
        connection.terminate()
        raise


def _set_commands(settings: Mapping[str, str], *, local: bool) -> str:
    """The commands that set them. Names and values come from this program only."""
    scope = "LOCAL " if local else ""
    return "".join(f"SET {scope}{name} = '{value}';" for name, value in settings.items())


def _options(url: URL) -> dict[str, Any]:
    """Options for asyncpg: account and database; other parameters of the URL are libpq's."""
    given = {"user": url.username, "password": url.password, "database": url.database}
    options = {name: value for name, value in given.items() if value}
    ours = {"host", "port", "target_session_attrs"}
    rest = {name: value for name, value in url.query.items() if name not in ours}
    if "ssl" in rest:
        rest["sslmode"] = rest.pop("ssl")
    if rest:
        options["dsn"] = f"postgresql://?{urlencode(rest, doseq=True)}"
    return options
