"""Passwords: every check counts as a guess until it proves right, and new ones follow rules."""

import base64
import binascii
import re
import unicodedata
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from pydantic import ValidationError

from adsvc import errors
from adsvc.enums import AuditKind
from adsvc.kit.addresses import client_network
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.bulkheads.pools import ThreadPool, ThreadSlot
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.faults import Fault, FaultCode, missing
from adsvc.kit.security.passwords import Passwords
from adsvc.kit.security.tokens import CredentialCache
from adsvc.limits import Limits
from adsvc.models.accounts import NO_PASSWORD, User, username_key
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.schemas.auth import Login
from adsvc.services import audit
from adsvc.services.accounts.sessions import AccountRequest, network_digests, require_no_suspension
from adsvc.services.rate_limits import (
    Limit,
    attempts_by,
    attempts_from,
    give_back,
    require_granted,
    states_after,
)
from adsvc.settings import Settings


async def _has_session_here(
    database: Database, settings: Settings, username: str, address: str
) -> bool:
    """For unknown names the query takes the same time."""
    async with database.autocommit() as session:
        user_id = await user_rows.id_of(session, username) or 0
        digests = network_digests(settings, user_id, address)
        return await session_rows.is_used_from(session, user_id, digests)


def _least(*states: errors.RateLimitState) -> errors.RateLimitState | None:
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
) -> AsyncIterator[errors.RateLimitState | None]:
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
        if isinstance(error, errors.UnavailableError) or is_database_fault(error):
            await give_back(database, settings, *guesses, *attempts)
        elif isinstance(error, errors.RefusalError):
            error.rate_limit = _least(*own, *attempted)
        raise
    # Many people may share an address or a network, and all of them know their passwords.
    await give_back(database, settings, *guesses)


def checked_login(username: str, password: str, limits: Limits) -> Login:
    """The `Login` for credentials that are not JSON. What it cannot contain is a wrong password."""
    try:
        return Login.model_validate({"username": username, "password": password}, context=limits)
    except ValidationError:
        raise errors.WrongCredentialsError from None


def client_of(username: str, address: str) -> Client:
    """Shares are per account and address, so strangers leave the owner's own share free."""
    return Client.of((client_network(address), username_key(username)), address)


class Authenticated(NamedTuple):
    user: User
    # The state of the limit on logins; None if limits are off.
    left: errors.RateLimitState | None


class _LoginAttempt(NamedTuple):
    slot: ThreadSlot
    left: errors.RateLimitState | None


class Credentials:
    """Raises `RateLimitedError` before any work after too many wrong guesses."""

    def __init__(self, database: Database, settings: Settings, pool: ThreadPool) -> None:
        self._database = database
        self._settings = settings
        # Of HTTP Basic.
        self.cache = CredentialCache()
        self._passwords = Passwords(
            pool,
            memory_kib=settings.password_memory_kib,
            iterations=settings.password_iterations,
        )

    async def hash(self, password: str, *, username: str, address: str) -> str:
        return await self._passwords.hash(password, client_of(username, address))

    async def authenticate(
        self,
        login: Login,
        *,
        address: str,
        session_id: int | None = None,
        counts_successes: bool = True,
    ) -> Authenticated:
        """The user with this name and password, or `WrongCredentialsError`.

        `AccountSuspendedError` is only for callers who know the password. `session_id` is a session
        of the same account, if the caller has one. Without `counts_successes`, successful attempts
        do not count.
        """
        async with self._attempt(
            login.username, address, session_id, counts_successes=counts_successes
        ) as attempt:
            user = await self._authenticate(login, attempt.slot)
        if user.suspended_until is not None:
            async with self._database.autocommit() as session:
                await require_no_suspension(session, user)
        return Authenticated(user, attempt.left)

    async def authenticate_request(self, value: str, address: str) -> tuple[CallerAccount, float]:
        """The account of HTTP Basic, and for how many seconds its password counts as verified.

        Each process verifies a pair once and caches it, and refuses one that it has found wrong
        without counting another guess.
        """
        username, password = _decode(value)
        user = await self._cached(username, password)
        if user is None:
            # A page sends many requests at once: the first one verifies the pair, the others wait.
            async with self.cache.lock(username, password):
                user = await self._cached(username, password) or await self._verified(
                    username, password, address
                )
        if user.has_totp:
            raise errors.SecondFactorRequiredError(detail=NO_BASIC)
        return user, self.cache.seconds_left(username, password)

    async def _cached(self, username: str, password: str) -> CallerAccount | None:
        verified = self.cache.get(username, password)
        if verified is None:
            return None
        async with self._database.autocommit() as session:
            user = await user_rows.get_unless_suspended(session, verified.user_id)
        if user is None or user.password_hash != verified.password_hash:
            return None
        return CallerAccount.of(user)

    async def _verified(self, username: str, password: str, address: str) -> CallerAccount:
        """Attempts on a suspended account do not count; a login says that it is suspended."""
        settings, stored = self._settings, None
        if len(username) <= settings.username_max_length:
            async with self._database.autocommit() as session:
                found = await user_rows.get_by_username(session, username)
            stored = found.password_hash if found else None
        if self.cache.is_wrong(username, password, stored):
            raise errors.WrongCredentialsError
        try:
            login = checked_login(username, password, settings)
            user, _ = await self.authenticate(login, address=address, counts_successes=False)
        except errors.AccountSuspendedError as error:
            # The pair is right. The suspension may end while it is cached.
            raise errors.WrongCredentialsError from error
        except errors.WrongCredentialsError:
            seconds = settings.login_window_seconds
            self.cache.keep_wrong(username, password, password_hash=stored, seconds=seconds)
            raise
        await audit.report(self._database, AuditKind.BASIC_LOGIN, actor=user.id)
        self.cache.keep(username, password, user_id=user.id, password_hash=user.password_hash)
        return CallerAccount.of(user)

    async def require_password(self, request: AccountRequest, password: str | None) -> None:
        """`WrongPasswordError` if it is not the caller's: a stolen token must not be enough.

        An account without a password has no other proof than a login of the last five minutes:
        `LoginRequiredError`.
        """
        user = request.user
        if user.password_hash == NO_PASSWORD:
            if not request.has_fresh_login:
                raise errors.LoginRequiredError
            return
        if password is None:
            raise errors.InvalidRequestError(missing().at("/currentPassword"))
        async with self._attempt(user.username, request.address, request.session_id) as attempt:
            valid, _ = await self._passwords.verify(password, user.password_hash, slot=attempt.slot)
            if not valid:
                event = AuditKind.LOGIN_FAILED
                await audit.report(self._database, event, actor=user.id, target=user.id)
                raise errors.WrongPasswordError

    @asynccontextmanager
    async def _attempt(
        self, username: str, address: str, session_id: int | None, *, counts_successes: bool = True
    ) -> AsyncIterator[_LoginAttempt]:
        """Takes a place in the pool first: without one, no statement runs and nothing counts."""
        async with (
            self._passwords.slot(client_of(username, address)) as slot,
            login_attempt(
                self._database,
                self._settings,
                username=username,
                address=address,
                session_id=session_id,
                counts_successes=counts_successes,
            ) as left,
        ):
            yield _LoginAttempt(slot, left)

    async def _authenticate(self, login: Login, slot: ThreadSlot) -> User:
        """No connection is in use while the password is hashed.

        Unknown names, and accounts with an imported hash, take the same time.
        """
        async with self._database.autocommit() as session:
            user = await user_rows.get_by_username(session, login.username)
            cost = await user_rows.highest_bcrypt_cost(session)
        stored = user.password_hash if user else None
        valid, replacement = await self._passwords.verify(
            login.password, stored, bcrypt_cost=cost, slot=slot
        )
        if user is None or not valid:
            target = user.id if user else None
            await audit.report(self._database, AuditKind.LOGIN_FAILED, target=target)
            raise errors.WrongCredentialsError
        if replacement is not None:
            async with self._database.autocommit() as session:
                replaced = await user_rows.replace_password_hash(
                    session, user.id, user.password_hash, replacement
                )
            if not replaced:
                # Another login or a change of the password came first: the newer hash counts.
                return await self._authenticate(login, slot)
            user.password_hash = replacement
        return user


NO_BASIC = "HTTP Basic is not accepted for accounts with a second factor: use a key."


def _decode(value: str) -> tuple[str, str]:
    try:
        raw = base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        raise errors.UnauthenticatedError from None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        # Pages encode them by `btoa`, which accepts Latin-1 only.
        text = raw.decode("latin-1")
    username, _, password = text.partition(":")
    if "\0" in text:
        raise errors.UnauthenticatedError
    return username, password


COMMON_PASSWORDS = files("adsvc.kit.security") / "common_passwords.txt"
COMMENT = re.compile(r"^#.*\n", re.MULTILINE)

# A password with fewer different characters is as easy to guess as one of the list.
FEWEST_DIFFERENT = 3

# Shorter words occur in too many good passwords.
WORD_MIN_LENGTH = 3


@cache
def common_passwords() -> str:
    """The 30,000 most common passwords, in lower case, each between two line feeds.

    A set of them would take 5 MiB. Searching this is quick beside hashing a password.
    """
    return COMMENT.sub("", f"\n{COMMON_PASSWORDS.read_text('ascii')}")


def weakness_of(password: str, settings: Settings, *names: str) -> str | None:
    """Why the password is too easy to guess; None if it is not. `names` are those of the account.

    The names, and that of the site, do not count: the rest of the password must be long enough, and
    must not be a common one either.
    """
    plain = _plain(password)
    left = plain
    for word in sorted(_words(settings.site_name, *names), key=len, reverse=True):
        left = left.replace(word, "")
    if len(set(plain)) < FEWEST_DIFFERENT:
        return f"must have at least {FEWEST_DIFFERENT} different characters"
    common = common_passwords()
    if any(f"\n{form}\n" in common for form in {plain, plain.strip(), left.strip()}):
        return "is among the most common passwords, which are guessed first; choose another"
    if len({ord(after) - ord(before) for before, after in pairwise(plain)}) == 1:
        return "must not be a mere sequence, which is guessed first"
    if left != plain and len(left) < settings.password_min_length:
        return (
            "is made of your user name, your name or that of the site, which are guessed first;"
            f" have at least {settings.password_min_length} characters besides them"
        )
    return None


def password_faults(
    settings: Settings, sent: Mapping[str, Any], member: str, *names: str
) -> Sequence[Fault]:
    """The faults of a new password in that member, if it is there."""
    weakness = weakness_of(sent[member], settings, *names) if member in sent else None
    if weakness is None:
        return ()
    return [Fault(FaultCode.WEAK_PASSWORD, weakness, pointer=f"/{member}")]


def registration_faults(settings: Settings, sent: Mapping[str, Any]) -> Sequence[Fault]:
    """The faults of a new account's password. `sent` are valid members of `Register`."""
    names = (sent.get(name, "") for name in ("username", "firstName", "lastName"))
    return password_faults(settings, sent, "password", *names)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _words(*names: str) -> set[str]:
    """The names, their parts before an `@`, and the words of those parts."""
    words = set()
    for name in map(_plain, names):
        own = name.partition("@")[0]
        words |= {name, own, *re.split(r"[\W_]+", own)}
    return {word for word in words if len(word) >= WORD_MIN_LENGTH}
