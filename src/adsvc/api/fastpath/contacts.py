"""Counts whose contact a caller is told: each different ad of somebody else, ready or not."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse
from adsvc.api.dependencies.administrators import lacks_mail
from adsvc.api.problems.responses import rate_limit_headers
from adsvc.errors import MailNotVerifiedError
from adsvc.errors.base import RateLimitState
from adsvc.http.raw import Header
from adsvc.services.accounts.ad_reads import AdReads, Standing
from adsvc.services.accounts.rate_limits import Policy
from adsvc.settings import MailRequired


class Reader(Protocol):
    @property
    def user_id(self) -> int: ...
    @property
    def is_admin(self) -> bool: ...
    @property
    def has_verified_mail(self) -> bool: ...


def _is_spared(reads: AdReads, reader: Reader, answer: CachedResponse) -> bool:
    return not reads.enabled or reader.user_id == answer.author_id or reader.is_admin


def _lacks_mail(state: AppState, reader: Reader, answer: CachedResponse) -> bool:
    """Nobody needs a verified address to see what is their own."""
    is_own = reader.user_id == answer.author_id
    return not is_own and lacks_mail(state, reader, MailRequired.CONTACT)


@lru_cache(maxsize=4096)
def _headers(policy: Policy, standing: Standing) -> Sequence[Header]:
    """Kept: there are few different ones, and to write one takes longer than to count."""
    limit = policy.name, policy.limit, policy.window
    told = rate_limit_headers(RateLimitState(*limit, standing.remaining, standing.reset))
    return [(name.lower().encode(), value.encode()) for name, value in told.items()]


def count_at_once(
    state: AppState, reader: Reader, ad_id: int, answer: CachedResponse
) -> Sequence[Header] | None:
    """The headers that tell what is left, or None if it has to be asked for: `count` does."""
    reads = state.ad_reads
    if _lacks_mail(state, reader, answer):
        return None
    if _is_spared(reads, reader, answer):
        return ()
    standing = reads.spend(reader.user_id, ad_id)
    return None if standing is None else _headers(reads.policy, standing)


async def count(
    state: AppState, reader: Reader, ad_id: int, answer: CachedResponse
) -> Sequence[Header]:
    """The same, or `RateLimitedError`, or `MailNotVerifiedError`."""
    reads = state.ad_reads
    if _lacks_mail(state, reader, answer):
        raise MailNotVerifiedError
    if _is_spared(reads, reader, answer):
        return ()
    return _headers(reads.policy, await reads.require(reader.user_id, ad_id))
