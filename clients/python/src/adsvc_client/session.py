"""The tokens of one session, which change with each refresh."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ._generated.models import TokenPair

Refreshing = TypeVar("Refreshing")

# The part of an access token's life that is left when it is renewed.
RESERVE = 0.1
RESERVE_SECONDS = 30.0


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    access: str | None
    refresh: str
    """Empty with a key, which is not renewed."""
    lasts_until: float
    """By the monotonic clock; a machine that slept finds out by a 401."""

    @property
    def outdated(self) -> bool:
        return self.access is None or time.monotonic() >= self.lasts_until


@dataclass
class Session(Generic[Refreshing]):
    on_tokens: Callable[[TokenPair], None] | None = None
    tokens: Tokens | None = field(default=None)
    refreshing: Refreshing | None = None
    """The refresh that is under way, which all callers share."""

    def begin(self, pair: TokenPair) -> None:
        """After a login, a refresh or a new password: `on_tokens` is called with the new pair."""
        reserve = min(RESERVE_SECONDS, pair.expires_in * RESERVE)
        lasts_until = time.monotonic() + pair.expires_in - reserve
        self.tokens = Tokens(pair.access_token, pair.refresh_token, lasts_until)
        if self.on_tokens is not None:
            self.on_tokens(pair)

    def resume(self, refresh_token: str) -> None:
        self.tokens = Tokens(None, refresh_token, 0.0)

    def use(self, key: str) -> None:
        """A key of a program takes the place of the tokens."""
        self.tokens = Tokens(key, "", math.inf)

    def end(self, tokens: Tokens | None) -> None:
        """Unless another one has begun meanwhile."""
        if self.tokens is tokens:
            self.tokens = None
