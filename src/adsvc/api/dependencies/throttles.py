"""Limits on how often one account does something."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.problems.responses import rate_limit_headers
from adsvc.services.accounts import rate_limits
from adsvc.services.accounts.rate_limits import Policy
from adsvc.settings import Settings


def allowance(policy: Callable[[Settings], Policy]) -> Callable[..., Coroutine[Any, Any, None]]:
    """A dependency that counts one attempt of the caller; ask for it before the body."""

    async def count(user: CurrentUser, state: AppStateDep, response: Response) -> None:
        settings = state.settings
        limit = policy(settings)
        granted = await rate_limits.take(state.database, settings, limit, str(user.id))
        if granted is not None:
            response.headers.update(
                rate_limit_headers(
                    limit.name,
                    limit.limit,
                    limit.window,
                    remaining=granted.remaining,
                    reset=granted.reset,
                )
            )

    return count


CountedWrite = Annotated[None, Depends(allowance(rate_limits.writes))]

CountedUpload = Annotated[None, Depends(allowance(rate_limits.uploads))]
