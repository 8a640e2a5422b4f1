"""The client for programs that await, with asyncio."""

import asyncio
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self, TypeVar

import httpx

from ._generated import operations
from ._generated.async_methods import AsyncMethods
from ._generated.models import TokenPair
from ._generated.types import UNSET, Unset
from .connection import LIMITS, TIMEOUT, Connection, Options, Timeout, WithOptions
from .exchange import Answer, Refresh, Send, Steps, Wait, carry_out, refresh
from .operation import Operation
from .response import ResponseInfo
from .retries import Retries
from .session import Session, Tokens

T = TypeVar("T")


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
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._connection = Connection(base_url)
        self._options = Options(
            timeout=timeout,
            retries=retries or Retries(),
            headers=headers or {},
            on_response=on_response,
        )
        self._session: Session[asyncio.Task[None]] = Session(on_tokens)
        if key is not None:
            self._session.use(key)
        elif refresh_token is not None:
            self._session.resume(refresh_token)
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT, limits=LIMITS)
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
                return await self._http.request(**arguments)
            except httpx.RequestError as error:
                return error

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
