"""Recognises transient errors of the database."""

import asyncpg
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from adsvc.errors import DatabaseUnavailableError

# SQLSTATE classes after which the same request may succeed a moment later: connection failures,
# transaction rollbacks (serialization, deadlock), state, operator intervention, system errors.
PASSING_SQLSTATE_CLASSES = frozenset({"08", "40", "53", "55", "57", "58"})

# A write met a standby or a server that takes none for now: another one may.
READ_ONLY = "25006"

# The account, the name of the database, what the address asks for, and rights.
ACCESS_SQLSTATES = ("28", "3D", "42704", "42501")
UNDEFINED_TABLE, UNDEFINED_COLUMN = "42P01", "42703"


def is_database_fault(error: BaseException) -> bool:
    """Whether the database, not the request, is at fault, so that trying again makes sense.

    The socket errors of the driver become `DatabaseUnavailableError` where they are raised, so that
    no other `OSError` is taken for one of the database.
    """
    if isinstance(error, (DatabaseUnavailableError, PoolTimeoutError)):
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
    # SQLAlchemy's error wraps its adapter's, which was raised from asyncpg's.
    cause = error.orig.__cause__ if error.orig is not None else None
    return getattr(cause, "constraint_name", None)
