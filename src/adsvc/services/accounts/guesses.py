"""Limits on guesses at passwords and codes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.bulkheads.rate_limits import Limit, attempts_by, attempts_from
from adsvc.db.database import Database
from adsvc.db.faults import is_database_fault
from adsvc.errors import RateLimitState, RefusalError, UnavailableError
from adsvc.models.accounts import username_key
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.services.accounts.sessions import network_digest
from adsvc.services.rate_limits import give_back, require_granted, states_after
from adsvc.settings import Settings


async def _has_session_here(
    database: Database, settings: Settings, username: str, address: str
) -> bool:
    """For unknown names the query takes the same time."""
    async with database.autocommit() as session:
        user_id = await user_rows.id_of(session, username) or 0
        digest = network_digest(settings, user_id, address)
        return await session_rows.is_used_from(session, user_id, digest)


def _least(*states: RateLimitState) -> RateLimitState | None:
    """The limit with the fewest attempts left. None if limits are off."""
    return min(states, key=lambda state: state.remaining, default=None)


@asynccontextmanager
async def login_attempt(
    database: Database,
    settings: Settings,
    *,
    username: str,
    address: str,
    session_id: int | None = None,
    counts_successes: bool = True,
) -> AsyncIterator[RateLimitState | None]:
    """Counts an attempt to log in: a block that ends well gives it back.

    Raises `RateLimitedError` before the block. The block gets the state of the limits after a
    success; an error of the block gets the state after a failure. Both have only the limits of the
    client itself. Those of the networks around it, and of the account from everywhere, would reveal
    what others do.

    With `counts_successes`, attempts at an account from an address also count in a wider limit if
    they succeed: each costs as much work as a guess.

    Attempts at an account are counted by address, by the networks around it, and from everywhere.
    Attempts from an address and the networks around it are also counted for all accounts together.
    A crowd elsewhere cannot lock the owner out: the limit from everywhere does not hold for a
    caller with a session of the account, or in a network that one is used from.

    A block that the service could not finish (503) does not show whether the password is right, and
    does not count.
    """
    account = username_key(username)
    guesses = [
        *attempts_from(Limit.LOGIN, address, account),
        *attempts_from(Limit.LOGIN_ADDRESS, address),
    ]
    attempts = (
        attempts_from(Limit.LOGIN_WITH_SUCCESSES, address, account) if counts_successes else []
    )
    if session_id is None:
        last = attempts_by(Limit.LOGIN_ACCOUNT, account)
    else:
        last = attempts_by(Limit.LOGIN_SESSION, session_id)
    states = await states_after(database, settings, *guesses, *attempts, last)
    of_all = slice(len(guesses), len(guesses) + bool(attempts))
    refused = [state for state in states if not state.granted]
    # Only by the limit from everywhere.
    is_crowded = session_id is None and refused and refused == [states[-1]]
    if is_crowded and await _has_session_here(database, settings, username, address):
        states = await states_after(database, settings, *guesses, *attempts)
    else:
        guesses.append(last)
    await require_granted(database, states)
    own, attempted = states[:1], states[of_all]
    if_right = _least(*(s._replace(remaining=s.remaining + 1) for s in own), *attempted)
    try:
        yield if_right
    except Exception as error:
        if isinstance(error, UnavailableError) or is_database_fault(error):
            await give_back(database, settings, *guesses, *attempts)
        elif isinstance(error, RefusalError):
            error.rate_limit = _least(*own, *attempted)
        raise
    # Many people may share an address or a network, and all of them know their passwords.
    await give_back(database, settings, *guesses)
