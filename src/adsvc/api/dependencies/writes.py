"""Changes by JSON that are one statement: the limit, the body, and then the change itself."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fastapi import Request, Response
from pydantic import BaseModel

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.caching.token_cache import Known
from adsvc.api.dependencies.bodies import JsonRecord
from adsvc.api.dependencies.caller import Authenticated, Caller
from adsvc.api.input.json import read_json
from adsvc.api.problems.responses import rate_limit_headers
from adsvc.errors import ForbiddenError, NotFoundError, RefusalError, UnauthenticatedError
from adsvc.services.accounts import rate_limits

Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Write(Generic[Body]):
    """What somebody wants to change, of which nothing has been read so far.

    `caller` was known a moment ago: the statement that makes the change finds out whether they
    still are, and whether they may.
    """

    request: Request
    state: AppState
    caller: Known | Caller
    record: type[Body]

    async def answer(
        self,
        change: Callable[[Body], Awaitable[str]],
        *,
        require: Callable[[], Awaitable[None]],
    ) -> Response:
        """The record that `change` gives.

        `require` raises what refuses the caller. It is asked only before another refusal, to come
        first: who may not change a thing is not told that their body is wrong.
        """
        database, settings = self.state.database, self.state.settings
        limit, who = rate_limits.writes(settings), str(self.caller.user_id)
        granted = await rate_limits.take(database, settings, limit, who, before_refusal=require)
        try:
            try:
                content = await read_json(self.request, self.record, settings)
            except RefusalError:
                await require()
                raise
            record = await change(content)
        except (UnauthenticatedError, ForbiddenError, NotFoundError):
            # Counted before it was known; such attempts do not count.
            await rate_limits.give_back(database, settings, limit, who)
            raise
        response = Response(record, media_type="application/json")
        if granted is not None:
            told = rate_limit_headers(
                limit.name,
                limit.limit,
                limit.window,
                remaining=granted.remaining,
                reset=granted.reset,
            )
            response.headers.update(told)
        return response


@dataclass(frozen=True, slots=True)
class JsonWrite(JsonRecord[Body]):
    """A dependency that makes a `Write` of the request."""

    async def __call__(
        self, request: Request, state: AppStateDep, caller: Authenticated
    ) -> Write[Body]:
        return Write(request, state, caller, self.record)
