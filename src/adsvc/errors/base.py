"""What the others derive from."""

from collections.abc import Mapping
from dataclasses import dataclass


class AdsvcError(Exception):
    """The root of the hierarchy."""


class ConfigurationError(AdsvcError):
    """Settings that cannot work; the message names the setting."""


class OperatorError(AdsvcError):
    """A command that cannot be carried out; the message says why."""


@dataclass(frozen=True, slots=True)
class RateLimitState:
    """How much is left of a limit: `remaining` attempts, and one more in `reset` seconds."""

    policy: str
    limit: int
    window: int
    remaining: int
    reset: int


class RefusalError(AdsvcError):
    """A request that is answered with a refusal.

    `detail` is for the client's developer and never repeats what the client sent.
    """

    detail = "The request was refused."
    # What the problem document has besides.
    members: Mapping[str, object] = {}
    # Of the limit that the refused request was counted in, where clients are to know it.
    rate_limit: RateLimitState | None = None

    def __init__(self, detail: str | None = None) -> None:
        if detail is not None:
            self.detail = detail
        super().__init__(self.detail)
