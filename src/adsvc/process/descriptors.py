"""File descriptors: one for each connection, and some that connections must leave to the rest."""

import resource
from functools import cache

# As many as are asked for; a process is rarely allowed fewer.
WANTED = 65_536

# For what is open all the time beside the database: code, logs, the processes for pictures.
KEPT = 128

# A connection may need one more, for the picture that it takes or sends.
FOR_EACH_CONNECTION = 2


def raise_limit() -> None:
    """The soft limit is there for programs that use select(2); the hard one is the operator's."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


@cache
def room(database_connections: int) -> int:
    """How many connections of clients a process can have beside those to its database."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        soft = WANTED
    return max(1, (soft - KEPT - database_connections) // FOR_EACH_CONNECTION)
