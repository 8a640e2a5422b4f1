"""Who may try how often: decided in PostgreSQL, so that all workers count together."""

import hashlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from adsvc import audit
from adsvc.db import Database
from adsvc.errors import RateLimitedError
from adsvc.models.user import username_key
from adsvc.repositories import RateLimitRepository
from adsvc.repositories.rate_limits import Allowance
from adsvc.settings import RateLimits, Settings

# Once in so many attempts the rows that say nothing any more are removed.
CLEANING_ODDS = 500
# A household or a server is given this much of the IPv6 space; one address in it means nothing.
IPV6_NETWORK_BITS = 64


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `limit` attempts in `window` seconds, replenished evenly."""

    name: str
    limit: int
    window: int


def login_by_account(settings: Settings) -> Policy:
    return Policy("login", settings.login_attempts, settings.login_window_seconds)


def login_by_address(settings: Settings) -> Policy:
    return Policy(
        "login-address", settings.login_attempts_per_address, settings.login_window_seconds
    )


def registration(settings: Settings) -> Policy:
    return Policy(
        "register", settings.registrations_per_address, settings.registration_window_seconds
    )


def writes(settings: Settings) -> Policy:
    return Policy("write", settings.writes_per_user, settings.write_window_seconds)


def uploads(settings: Settings) -> Policy:
    return Policy("upload", settings.uploads_per_user, settings.upload_window_seconds)


async def take(
    database: Database, settings: Settings, policy: Policy, *parts: str
) -> Allowance | None:
    """Counts one attempt of whoever the parts name; `RateLimitedError` if it is one too many.

    Counted outside any transaction: a refusal must not undo the count. None if limits are off.
    """
    if settings.rate_limits is RateLimits.OFF:
        return None
    async with database.autocommit() as session:
        repository = RateLimitRepository(session)
        allowance = await repository.take(
            _key(policy, parts), limit=policy.limit, window=policy.window
        )
        if secrets.randbelow(CLEANING_ODDS) == 0:
            await repository.delete_expired()
    if not allowance.granted:
        audit.record(audit.Event.RATE_LIMITED, target=policy.name)
        raise RateLimitedError(policy.name, policy.limit, policy.window, allowance.reset)
    return allowance


def _key(policy: Policy, parts: tuple[str, ...]) -> str:
    # Hashed, so that the table holds neither names nor addresses, and keys have one length.
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    return f"{policy.name}:{digest}"


def network(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> IPV6_NETWORK_BITS << IPV6_NETWORK_BITS))


@asynccontextmanager
async def login_attempt(
    database: Database, settings: Settings, *, username: str, address: str
) -> AsyncIterator[None]:
    """Raises `RateLimitedError` before the block; a block that ends well forgives the account.

    Attempts on an account are counted by address, so that nobody can lock its owner out from
    elsewhere; attempts of an address are counted together, whatever accounts they try.
    """
    place = network(address)
    account = login_by_account(settings)
    who = (place, username_key(username))
    await take(database, settings, login_by_address(settings), place)
    await take(database, settings, account, *who)
    yield
    if settings.rate_limits is RateLimits.ON:
        async with database.autocommit() as session:
            repository = RateLimitRepository(session)
            await repository.forget(_key(account, who))
            # Many people may be behind one address, and all of them know their passwords.
            everyone = login_by_address(settings)
            await repository.refund(
                _key(everyone, (place,)), limit=everyone.limit, window=everyone.window
            )
