"""Tokens that were verified before, so that only the first request with one asks the database."""

import time

from adsvc.changes import Change, Changes, Kind
from adsvc.memory import Memory
from adsvc.security import Claims

# Tokens are a few hundred bytes; so many fit into a few megabytes.
CAPACITY = 10_000


class KnownCallers:
    """Whose token it is, while it has not expired and neither session nor account has ended.

    The end of a session forgets its own tokens, and no others; a change of an account all of its.

    Asked with the whole value of `Authorization`, as most clients write it; others are unknown.
    """

    def __init__(self, changes: Changes, *, enabled: bool) -> None:
        self._changes = changes
        self._claims: Memory[str, Claims] = Memory(CAPACITY if enabled else 0, lambda _: 1)
        changes.follow(self._forget)

    @property
    def generation(self) -> int:
        """To be read before the database is asked, and given to `keep` afterwards."""
        generations = self._changes.generations
        return generations[Kind.SESSION] + generations[Kind.USER]

    def get(self, authorization: str) -> Claims | None:
        claims = self._claims.get(authorization)
        if claims is None or not self._changes.reliable or claims.expires_at <= time.time():
            return None
        return claims

    def keep(self, token: str, claims: Claims, generation: int) -> None:
        """Not kept if a session or an account ended meanwhile: it may have been this one."""
        if generation == self.generation:
            self._claims.keep(f"Bearer {token}", claims)

    def _forget(self, change: Change) -> None:
        match change:
            case Change(Kind.SESSION | Kind.USER, ""):
                self._claims.clear()
            case Change(Kind.SESSION, identifier):
                self._claims.drop_where(lambda claims: str(claims.session_id) == identifier)
            case Change(Kind.USER, identifier):
                self._claims.drop_where(lambda claims: str(claims.user_id) == identifier)
