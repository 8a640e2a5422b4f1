"""Checks passwords: every check counts as a guess until the password proves right."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from pydantic import ValidationError

from adsvc.addresses import client_network
from adsvc.bulkheads.admission import Client
from adsvc.bulkheads.pools import ThreadPool, ThreadSlot
from adsvc.db.database import Database
from adsvc.enums import AuditKind
from adsvc.errors import (
    AccountSuspendedError,
    RateLimitState,
    WrongCredentialsError,
    WrongPasswordError,
)
from adsvc.limits import Limits
from adsvc.models import User
from adsvc.models.accounts import username_key
from adsvc.repositories.accounts import users as user_rows
from adsvc.schemas.auth import Login
from adsvc.security.passwords import Passwords
from adsvc.services import audit
from adsvc.services.accounts.guesses import login_attempt
from adsvc.services.accounts.requests import AccountRequest
from adsvc.services.accounts.sessions import require_no_suspension
from adsvc.settings import Settings


def checked_login(username: str, password: str, limits: Limits) -> Login:
    """The `Login` for credentials that are not JSON. What it cannot contain is a wrong password."""
    try:
        return Login.model_validate({"username": username, "password": password}, context=limits)
    except ValidationError:
        raise WrongCredentialsError from None


def client_of(username: str, address: str) -> Client:
    """Shares are per account and address, so strangers leave the owner's own share free."""
    return Client.of((client_network(address), username_key(username)), address)


class Authenticated(NamedTuple):
    user: User
    # The state of the limit on logins; None if limits are off.
    left: RateLimitState | None


class _LoginAttempt(NamedTuple):
    slot: ThreadSlot
    left: RateLimitState | None


class Credentials:
    """Raises `RateLimitedError` before any work after too many wrong guesses."""

    def __init__(self, database: Database, settings: Settings, pool: ThreadPool) -> None:
        self._database = database
        self._settings = settings
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

    async def authenticate_request(self, login: Login, *, address: str) -> User:
        """As `authenticate`, for a request with its own name and password (HTTP Basic).

        Attempts on a suspended account do not count; a login says that it is suspended. Each
        process verifies a pair once and caches it.
        """
        try:
            user, _ = await self.authenticate(login, address=address, counts_successes=False)
        except AccountSuspendedError as error:
            raise WrongCredentialsError from error
        await audit.report(self._database, AuditKind.BASIC_LOGIN, actor=user.id)
        return user

    async def require_password(self, request: AccountRequest, password: str) -> None:
        """`WrongPasswordError` if it is not the caller's: a stolen token must not be enough."""
        user = request.user
        async with self._attempt(user.username, request.address, request.session_id) as attempt:
            valid, _ = await self._passwords.verify(password, user.password_hash, slot=attempt.slot)
            if not valid:
                event = AuditKind.LOGIN_FAILED
                await audit.report(self._database, event, actor=user.id, target=user.id)
                raise WrongPasswordError

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
            raise WrongCredentialsError
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
