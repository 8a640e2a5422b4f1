"""Limits on how often one account does something."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Response

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.problems.responses import rate_limit_headers
from adsvc.errors.base import RateLimitState
from adsvc.repositories.accounts.callers import Account
from adsvc.repositories.accounts.rate_limits import Allowance as Granted
from adsvc.services.accounts import rate_limits
from adsvc.services.accounts.rate_limits import Policy
from adsvc.settings import Settings


def tell_limit(response: Response, policy: Policy, granted: Granted | None) -> None:
    """Nothing, where limits are off."""
    if granted is not None:
        limit = policy.name, policy.limit, policy.window
        state = RateLimitState(*limit, granted.remaining, granted.reset)
        response.headers.update(rate_limit_headers(state))


@dataclass(frozen=True, slots=True)
class Allowance:
    """A dependency that counts one attempt of the caller; ask for it before the body."""

    policy: Callable[[Settings], Policy]

    async def __call__(self, user: CurrentUser, state: AppStateDep, response: Response) -> None:
        settings = state.settings
        limit = self.policy(settings)
        granted = await rate_limits.take(state.database, settings, limit, str(user.id))
        tell_limit(response, limit, granted)


CountedWrite = Annotated[None, Depends(Allowance(rate_limits.writes))]

count_upload = Allowance(rate_limits.uploads)

CountedUpload = Annotated[None, Depends(count_upload)]


async def count_pictures(user: Account, state: AppState, response: Response, number: int) -> None:
    """So many beside the one that was counted before the body; `RateLimitedError` if too many."""
    settings = state.settings
    limit = rate_limits.uploads(settings)
    # Pictures that one request may send are never more than the limit.
    number = min(number, limit.limit - 1)
    if number > 0:
        granted = await rate_limits.take(
            state.database, settings, limit, str(user.id), attempts=number
        )
        tell_limit(response, limit, granted)


async def require_room(user: CurrentUser, state: AppStateDep) -> None:
    await state.text_quota.require(user.id)


RoomForText = Annotated[None, Depends(require_room)]
