import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.db import Database
from adsvc.errors import RateLimitedError
from adsvc.models.user import username_key
from adsvc.repositories import RateLimitRepository
from adsvc.settings import RateLimits, Settings


def _key(kind: str, *parts: str) -> str:
    # Hashed, so that the table holds neither names nor addresses, and keys have one length.
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    return f"{kind}:{digest}"


async def _take(database: Database, key: str, *, limit: int, window: int) -> None:
    """Counted outside any transaction: a refusal must not undo the count."""
    async with database.autocommit() as session:
        wait = await RateLimitRepository(session).take(key, limit=limit, window=window)
    if wait:
        raise RateLimitedError(wait)


@asynccontextmanager
async def login_attempt(
    database: Database, settings: Settings, *, username: str, address: str
) -> AsyncIterator[None]:
    """Raises `RateLimitedError` before the block; a block that ends well forgives the account.

    Attempts on an account are counted by address, so that nobody can lock its owner out from
    elsewhere; attempts of an address are counted together, whatever accounts they try.
    """
    if settings.rate_limits is RateLimits.OFF:
        yield
        return
    window = settings.login_window_seconds
    account = _key("login", address, username_key(username))
    await _take(database, account, limit=settings.login_attempts, window=window)
    everyone = _key("login-address", address)
    await _take(database, everyone, limit=settings.login_attempts_per_address, window=window)
    yield
    async with database.autocommit() as session:
        await RateLimitRepository(session).forget(account)


async def registration_attempt(database: Database, settings: Settings, *, address: str) -> None:
    """Raises `RateLimitedError` when the address has registered too often."""
    if settings.rate_limits is RateLimits.ON:
        await _take(
            database,
            _key("register", address),
            limit=settings.registrations_per_address,
            window=settings.registration_window_seconds,
        )
