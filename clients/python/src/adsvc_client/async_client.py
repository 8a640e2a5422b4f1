"""The client for programs that await, with asyncio."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from ._generated import operations
from ._generated.async_methods import AsyncMethods
from ._generated.models import Ad, Event, EventType, TokenPair
from ._generated.types import UNSET, Unset
from .connection import KEY_VARIABLE, LIMITS, TIMEOUT, Connection, Options, Timeout, WithOptions
from .errors import AdsvcError, NoAnswerError
from .exchange import Answer, Refresh, Send, Steps, Wait, carry_out, refresh
from .operation import Operation
from .response import ResponseInfo
from .retries import Retries
from .session import Session, Tokens
from .streams import (
    Following,
    PersonalData,
    StreamedEvent,
    log_of_events,
    matches_of_search,
    own_events,
)
from .uploads import Counted

T = TypeVar("T")
E = TypeVar("E")


class AsyncAdsvcClient(AsyncMethods, WithOptions):
    """As `AdsvcClient`, but all methods are awaited. Any number of tasks may share one."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        key: str | None = None,
        refresh_token: str | None = None,
        on_tokens: Callable[[TokenPair], None] | None = None,
        timeout: Timeout | Unset = UNSET,
        retries: Retries | None = None,
        headers: Mapping[str, str] | None = None,
        on_response: Callable[[ResponseInfo], None] | None = None,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self._connection = Connection(base_url)
        self._options = Options(
            timeout=timeout,
            retries=retries or Retries(),
            headers=headers or {},
            on_response=on_response,
        )
        self._session: Session[asyncio.Task[None]] = Session(on_tokens)
        if key is None and refresh_token is None:
            key = os.environ.get(KEY_VARIABLE)
        if key:
            self._session.use(key)
        elif refresh_token is not None:
            self._session.resume(refresh_token)
        self._http = http or httpx2.AsyncClient(timeout=TIMEOUT, limits=LIMITS)
        self._owns_http = http is None

    @property
    def logged_in(self) -> bool:
        return self._session.tokens is not None

    async def logout(self) -> None:
        """Ends the session, here and in the service. A key is only forgotten here."""
        tokens = self._session.tokens
        if tokens is not None:
            self._session.end(tokens)
            if tokens.refresh:
                await self._run(operations.revoke_token(token=tokens.refresh))

    async def aclose(self) -> None:
        if self._session.refreshing is not None:
            await asyncio.gather(self._session.refreshing, return_exceptions=True)
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def events(
        self,
        *,
        type_: list[EventType] | Unset = UNSET,
        after: str | None = None,
        reconnect: bool = True,
    ) -> AsyncGenerator[StreamedEvent[Event], None]:
        """Follows the log of events, for administrators and keys with `events:read`.

        It begins now, or behind `after`: the `cursor` of an event, or `next_` of `list_events`,
        which begins with the oldest. It goes on where it was when the connection is lost or the
        token is renewed. While the service cannot be reached or has no room, it tries again with
        growing pauses, for ever; with `reconnect=False` as `retries` says. It ends with a refusal
        that stays: 401, 403, 410 (`CursorExpiredError`).
        """
        return self._follow(log_of_events(type_, after), reconnect=reconnect)

    def my_events(
        self, *, after: str | None = None, reconnect: bool = True
    ) -> AsyncGenerator[StreamedEvent[PersonalData], None]:
        """Follows what concerns the caller: `unread`, then `message`, `offer`, `notification` and
        `unread` again. The event of a notification that has gathered more has `update`.

        The data is `Unread`, `Message`, `MessagesRead` or `Notification`. It goes on as `events`
        does.
        """
        return self._follow(own_events(after), reconnect=reconnect)

    def search_ads(
        self, search_id: int, *, after: str | None = None, reconnect: bool = True
    ) -> AsyncGenerator[StreamedEvent[Ad], None]:
        """Follows the ads that come to match a saved search.

        It begins now, or behind `after`, which may be `next_` of `list_search_ads`. It goes on as
        `events` does, and ends in `SearchNotFoundError` with the search.
        """
        return self._follow(matches_of_search(search_id, after), reconnect=reconnect)

    async def _run(self, operation: Operation[T]) -> T:
        return await self._drive(carry_out(operation, self._session, self._options))

    async def _drive(self, steps: Steps[T]) -> T:
        answer: Answer | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = None
            match step:
                case Send():
                    answer = await self._send(step)
                case Wait(seconds):
                    await asyncio.sleep(seconds)
                case Refresh(stale):
                    await self._refresh(stale)

    async def _send(self, step: Send) -> Answer:
        with self._connection.arguments(
            step.operation, step.access_token, step.options
        ) as arguments:
            try:
                return await self._sent(step, arguments)
            except httpx2.RequestError as error:
                return error

    async def _sent(self, step: Send, arguments: dict[str, Any]) -> httpx2.Response:
        """The response, read to its end unless it is a stream and no refusal."""
        redirects, streamed = arguments.pop("follow_redirects"), step.operation.streamed
        request = self._http.build_request(**arguments)
        if step.options.on_progress is not None:
            request.stream = Counted(request, step.options.on_progress)
        response = await self._http.send(request, stream=streamed, follow_redirects=redirects)
        if streamed and not response.is_success:
            await response.aread()
        return response

    async def _follow(
        self, stream: Following[E], *, reconnect: bool
    ) -> AsyncGenerator[StreamedEvent[E], None]:
        # Clients that were disconnected together do not return together.
        retries, number = self._options.retries, 0
        once = replace(self._options, retries=replace(retries, attempts=1))
        while True:
            number += 1
            try:
                response = await self._drive(
                    carry_out(stream.operation, self._session, once if reconnect else self._options)
                )
            except AdsvcError as error:
                pause = retries.pause(number, error)
                if not reconnect or pause is None:
                    raise
                await asyncio.sleep(pause)
                continue
            try:
                async for line in response.aiter_lines():
                    event = stream.take(line)
                    if event is not None:
                        number = 0
                        yield event
            except httpx2.RequestError:
                # It goes on behind the last event that came.
                pass
            finally:
                await response.aclose()
            await asyncio.sleep(retries.pause(number + 1, NoAnswerError()) or 0.0)

    async def _refresh(self, stale: Tokens) -> None:
        """Runs as its own task, so that a cancelled caller does not lose the new tokens."""
        if self._session.tokens is not stale:
            return
        if self._session.refreshing is None or self._session.refreshing.done():
            steps = refresh(self._session, stale, self._options)
            self._session.refreshing = asyncio.create_task(self._drive(steps))
            # All waiting callers may have been cancelled when it fails.
            self._session.refreshing.add_done_callback(
                lambda task: task.cancelled() or task.exception()
            )
        await asyncio.shield(self._session.refreshing)
