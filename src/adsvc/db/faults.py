"""Recognises transient errors of the database."""

import asyncpg
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from adsvc.errors import DatabaseUnavailableError

# SQLSTATE classes after which the same request may succeed a moment later: connection failures,
# transaction rollbacks (serialization, deadlock), state, operator intervention, system errors.
PASSING_SQLSTATE_CLASSES = frozenset({"08", "40", "53", "55", "57", "58"})

# Of a session that PostgreSQL ends: when it is stopped or has crashed, at an operator's word, after
# a rest, and in the middle of a transaction that rests. The class is of broken connections.
ENDED_SQLSTATES = frozenset({"57P01", "57P02", "57P05", "25P03"})
CONNECTION_SQLSTATE_CLASS = "08"

# A function was planned for a column of another type. No statement of ours has it otherwise.
DATATYPE_MISMATCH = "42804"

# What asyncpg says before it sends anything. The first is of a connection on which the server has
# said that it ends the session, and which is not closed yet.
UNSENT = ("cannot switch to state", "connection is closed")

# A write met a standby or a server that takes none for now: another one may.
READ_ONLY = "25006"

# The account, the name of the database, what the address asks for, and rights.
ACCESS_SQLSTATES = ("28", "3D", "42704", "42501")
UNDEFINED_TABLE, UNDEFINED_COLUMN = "42P01", "42703"


class SessionEndedError(DatabaseUnavailableError):
    """A connection broke or became useless in the middle of the work, and another may do.

    `without_effect` is whether the work has certainly changed nothing, so that it can be repeated
    whatever it is.
    """

    def __init__(self, *, without_effect: bool) -> None:
        super().__init__()
        self.without_effect = without_effect


def session_ended(error: BaseException | None) -> SessionEndedError | None:
    """What an error of asyncpg amounts to. A statement that took too long has ended no session."""
    if is_outdated(error):
        # PostgreSQL has refused the statement as a whole, and the transaction with it.
        return SessionEndedError(without_effect=True)
    if isinstance(error, asyncpg.PostgresError):
        sqlstate = error.sqlstate or ""
        if sqlstate in ENDED_SQLSTATES or sqlstate[:2] == CONNECTION_SQLSTATE_CLASS:
            return SessionEndedError(without_effect=False)
        return None
    unsent = any(text in str(error) for text in UNSENT)
    if isinstance(error, asyncpg.InternalClientError) or (
        isinstance(error, asyncpg.InterfaceError) and unsent
    ):
        return SessionEndedError(without_effect=unsent)
    if isinstance(error, OSError) and not isinstance(error, TimeoutError):
        return SessionEndedError(without_effect=False)
    return None


def is_outdated(error: BaseException | None) -> bool:
    """Whether the session's plans are for a schema that has changed since."""
    if isinstance(error, asyncpg.InvalidCachedStatementError):
        return True
    return isinstance(error, asyncpg.PostgresError) and error.sqlstate == DATATYPE_MISMATCH


def driver_error(error: BaseException) -> BaseException | None:
    """What asyncpg raised, of what SQLAlchemy or `db` made of it."""
    if isinstance(error, DBAPIError):
        # SQLAlchemy's error wraps its adapter's, which was raised from asyncpg's.
        return None if error.orig is None else error.orig.__cause__
    return error.__cause__ if isinstance(error, DatabaseUnavailableError) else error


def is_database_fault(error: BaseException) -> bool:
    """Whether the database, not the request, is at fault, so that trying again makes sense.

    The socket errors of the driver become `DatabaseUnavailableError` where they are raised, so that
    no other `OSError` is taken for one of the database.
    """
    if isinstance(error, (DatabaseUnavailableError, PoolTimeoutError)):
        return True
    if is_outdated(met := driver_error(error)) or isinstance(met, asyncpg.InternalClientError):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _may_pass(error.orig)
    return isinstance(error, asyncpg.PostgresError) and _may_pass(error)


def is_access_fault(error: BaseException) -> bool:
    """Whether the database refuses who asks, for operators to mend."""
    return _sqlstate(error).startswith(ACCESS_SQLSTATES)


def lacks(error: DBAPIError, *sqlstates: str) -> bool:
    """Whether the statement named what is not there, as it is in a database of another version."""
    return _sqlstate(error) in sqlstates


def _sqlstate(error: BaseException) -> str:
    met = error.orig if isinstance(error, DBAPIError) else error
    return getattr(met, "sqlstate", None) or ""


def _may_pass(error: BaseException | None) -> bool:
    sqlstate = getattr(error, "sqlstate", None) or ""
    return sqlstate == READ_ONLY or sqlstate[:2] in PASSING_SQLSTATE_CLASSES


def violated_constraint(error: IntegrityError) -> str | None:
    """The name of the constraint that a statement would have broken."""
    return getattr(driver_error(error), "constraint_name", None)
