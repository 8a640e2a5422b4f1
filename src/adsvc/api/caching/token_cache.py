"""Callers that were identified before, so that only their first request asks the database."""

import time
from dataclasses import dataclass

from adsvc.cache import LruCache
from adsvc.invalidation import Invalidation, InvalidationBus, Kind
from adsvc.security.tokens import Claims

# Tokens are a few hundred bytes; so many fit into a few megabytes.
CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class Known:
    """A change of the account forgets it, so that the role is the one it has now."""

    user_id: int
    # None for who sent user name and password.
    session_id: int | None
    # Seconds since 1970.
    expires_at: float
    is_admin: bool
    has_verified_mail: bool = False


class TokenCache:
    """Whose token it is, while it has not expired and neither session nor account has ended.

    The end of a session forgets its own tokens, and no others; a change of an account all of its.

    Asked with the whole value of `Authorization`, as most clients write it; others are unknown.
    For a user name and password stands what `CredentialCache.key_of` makes of that.
    """

    def __init__(self, changes: InvalidationBus, *, enabled: bool) -> None:
        self._changes = changes
        self._known: LruCache[str, Known] = LruCache(CAPACITY if enabled else 0, lambda _: 1)
        # How often a caller was found, and how often one had to be looked up.
        self.hits = self.misses = 0
        changes.follow(self._forget)

    @property
    def generation(self) -> int:
        """To be read before the database is asked, and given to `keep` afterwards."""
        generations = self._changes.generations
        return generations[Kind.SESSION] + generations[Kind.USER]

    def get(self, authorization: str) -> Known | None:
        known = self._known.get(authorization)
        if known is None or not self._changes.reliable or known.expires_at <= time.time():
            return None
        self.hits += 1
        return known

    def keep(
        self,
        token: str,
        claims: Claims,
        generation: int,
        *,
        is_admin: bool,
        has_verified_mail: bool = False,
    ) -> None:
        """Not kept if a session or an account ended meanwhile: it may have been this one."""
        known = Known(
            claims.user_id, claims.session_id, claims.expires_at, is_admin, has_verified_mail
        )
        self.keep_known(f"Bearer {token}", known, generation)

    def keep_known(self, key: str, known: Known, generation: int) -> None:
        self.misses += 1
        if generation == self.generation:
            self._known.keep(key, known)

    def _forget(self, change: Invalidation) -> None:
        match change:
            case Invalidation(Kind.SESSION | Kind.USER, ""):
                self._known.clear()
            case Invalidation(Kind.SESSION, identifier):
                self._known.drop_where(lambda known: str(known.session_id) == identifier)
            case Invalidation(Kind.USER, identifier):
                self._known.drop_where(lambda known: str(known.user_id) == identifier)
