"""Recognises transient errors of the database."""

import asyncpg
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from adsvc.kit.errors import ConnectionsBusyError, DatabaseUnavailableError

# SQLSTATE classes after which the same request may succeed a moment later: connection failures,
# transaction rollbacks (serialization, deadlock), state, operator intervention, system errors.
PASSING_SQLSTATE_CLASSES = frozenset({"08", "40", "53", "55", "57", "58"})

# PostgreSQL has ended the session: it was stopped or has crashed, an operator ended the session, or
# the session was idle for too long, also within a transaction. The class is of broken connections.
ENDED_SQLSTATES = frozenset({"57P01", "57P02", "57P05", "25P03"})
CONNECTION_SQLSTATE_CLASS = "08"

# A function was planned for a column of another type. Our statements cause this in no other way.
DATATYPE_MISMATCH = "42804"

# asyncpg's errors before it sends anything. The first is for a connection that the server has ended
# and that is not closed yet.
UNSENT = ("cannot switch to state", "connection is closed")

# A write reached a standby or a read-only server: another server may accept it.
READ_ONLY = "25006"

# Errors in the account, the name of the database, the parameters of the URL, and rights.
ACCESS_SQLSTATES = ("28", "3D", "42704", "42501")
# A plan that another session has, and one that this session has not: a pooler lends connections for
# one transaction.
PLAN_SQLSTATES = ("42P05", "26000")
UNDEFINED_TABLE, UNDEFINED_COLUMN = "42P01", "42703"

# What a connection may raise that is used without a pool.
CONNECTION_FAULTS = (
    DatabaseUnavailableError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    # The server has said that the session ends, and has not closed the connection yet.
    asyncpg.InternalClientError,
)


class SessionEndedError(DatabaseUnavailableError):
    """A connection broke during the work, and a new one may succeed.

    `without_effect` says whether the work has certainly changed nothing, so that even a change can
    be repeated.
    """

    def __init__(self, *, without_effect: bool) -> None:
        super().__init__()
        self.without_effect = without_effect


def session_ended(error: BaseException | None) -> SessionEndedError | None:
    """The `SessionEndedError` for an error of asyncpg. None for a statement that took too long."""
    if is_outdated(error):
        # PostgreSQL has rejected the statement, and rolled back its transaction.
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
    """Whether the session's plans are for an earlier schema."""
    if isinstance(error, asyncpg.InvalidCachedStatementError):
        return True
    return isinstance(error, asyncpg.PostgresError) and error.sqlstate == DATATYPE_MISMATCH


def driver_error(error: BaseException) -> BaseException | None:
    """The error of asyncpg inside one of SQLAlchemy or of `db`."""
    if isinstance(error, DBAPIError):
        # SQLAlchemy's error wraps its adapter's, which was raised from asyncpg's.
        return None if error.orig is None else error.orig.__cause__
    return error.__cause__ if isinstance(error, DatabaseUnavailableError) else error


def is_database_fault(error: BaseException) -> bool:
    """Whether the database, not the request, is at fault, so that trying again makes sense.

    The driver's socket errors become `DatabaseUnavailableError` where they are raised, so that
    other `OSError`s are not mistaken for them.
    """
    if isinstance(error, (DatabaseUnavailableError, PoolTimeoutError)):
        return True
    if is_outdated(met := driver_error(error)) or isinstance(met, asyncpg.InternalClientError):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _may_pass(error.orig)
    return isinstance(error, asyncpg.PostgresError) and _may_pass(error)


def is_busy(error: BaseException) -> bool:
    """Whether the database is not at fault: this process has all its connections in use."""
    return isinstance(error, (ConnectionsBusyError, PoolTimeoutError))


def is_access_fault(error: BaseException) -> bool:
    """Whether the database rejects the login or its rights, which operators have to correct."""
    return _sqlstate(error).startswith(ACCESS_SQLSTATES)


def lacks(error: Exception, *sqlstates: str) -> bool:
    """Whether the statement names what the schema lacks, as in a database of another version."""
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
