"""Who is told of each statement, if anybody: traces are made of that."""

from collections.abc import Callable
from typing import ClassVar, NamedTuple


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


class Statements:
    """Of this process. Set before the first connection is made; without it nothing is measured."""

    observer: ClassVar[Observer | None] = None
