"""The client for programs that block."""

import os
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from ._generated import operations
from ._generated.methods import Methods
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


class AdsvcClient(Methods, WithOptions):
    """A method for each operation, a session that stays alive, and repetition where it is safe.

    Any number of threads may share one. `key` is a key for programs (`adsvc_…`), which needs no
    login; without `key`, `refresh_token` continues a session that was kept;
    `on_tokens` is called with each new pair, because a refresh token is good for one use.
    Without `base_url` the environment's `ADSVC_BASE_URL` says where the service is; without
    credentials its `ADSVC_KEY` is the key.
    `timeout`, `retries`, `headers` and `on_response` are those of `with_options`.
    `http` is a client of httpx2 with settings of your own, and stays yours to close.
    """

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
        http: httpx2.Client | None = None,
    ) -> None:
        self._connection = Connection(base_url)
        self._options = Options(
            timeout=timeout,
            retries=retries or Retries(),
            headers=headers or {},
            on_response=on_response,
        )
        self._session: Session[Future[None]] = Session(on_tokens)
        if key is None and refresh_token is None:
            key = os.environ.get(KEY_VARIABLE)
        if key:
            self._session.use(key)
        elif refresh_token is not None:
            self._session.resume(refresh_token)
        self._http = http or httpx2.Client(timeout=TIMEOUT, limits=LIMITS)
        self._owns_http = http is None
        self._lock = threading.Lock()

    @property
    def logged_in(self) -> bool:
        return self._session.tokens is not None

    def logout(self) -> None:
        """Ends the session, here and in the service. A key is only forgotten here."""
        tokens = self._session.tokens
        if tokens is not None:
            self._session.end(tokens)
            if tokens.refresh:
                self._run(operations.revoke_token(token=tokens.refresh))

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def events(
        self,
        *,
        type_: list[EventType] | Unset = UNSET,
        after: str | None = None,
        reconnect: bool = True,
    ) -> Generator[StreamedEvent[Event], None, None]:
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
    ) -> Generator[StreamedEvent[PersonalData], None, None]:
        """Follows what concerns the caller: `unread`, then `message`, `offer`, `notification` and
        `unread` again. The event of a notification that has gathered more has `update`.

        The data is `Unread`, `Message`, `MessagesRead` or `Notification`. It goes on as `events`
        does.
        """
        return self._follow(own_events(after), reconnect=reconnect)

    def search_ads(
        self, search_id: int, *, after: str | None = None, reconnect: bool = True
    ) -> Generator[StreamedEvent[Ad], None, None]:
        """Follows the ads that come to match a saved search.

        It begins now, or behind `after`, which may be `next_` of `list_search_ads`. It goes on as
        `events` does, and ends in `SearchNotFoundError` with the search.
        """
        return self._follow(matches_of_search(search_id, after), reconnect=reconnect)

    def _run(self, operation: Operation[T]) -> T:
        return self._drive(carry_out(operation, self._session, self._options))

    def _drive(self, steps: Steps[T]) -> T:
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
                    answer = self._send(step)
                case Wait(seconds):
                    time.sleep(seconds)
                case Refresh(stale):
                    self._refresh(stale)

    def _send(self, step: Send) -> Answer:
        with self._connection.arguments(
            step.operation, step.access_token, step.options
        ) as arguments:
            try:
                return self._sent(step, arguments)
            except httpx2.RequestError as error:
                return error

    def _sent(self, step: Send, arguments: dict[str, Any]) -> httpx2.Response:
        """The response, read to its end unless it is a stream and no refusal."""
        redirects, streamed = arguments.pop("follow_redirects"), step.operation.streamed
        request = self._http.build_request(**arguments)
        if step.options.on_progress is not None:
            request.stream = Counted(request, step.options.on_progress)
        response = self._http.send(request, stream=streamed, follow_redirects=redirects)
        if streamed and not response.is_success:
            response.read()
        return response

    def _follow(
        self, stream: Following[E], *, reconnect: bool
    ) -> Generator[StreamedEvent[E], None, None]:
        # Clients that were disconnected together do not return together.
        retries, number = self._options.retries, 0
        once = replace(self._options, retries=replace(retries, attempts=1))
        while True:
            number += 1
            try:
                response = self._drive(
                    carry_out(stream.operation, self._session, once if reconnect else self._options)
                )
            except AdsvcError as error:
                pause = retries.pause(number, error)
                if not reconnect or pause is None:
                    raise
                time.sleep(pause)
                continue
            try:
                for line in response.iter_lines():
                    event = stream.take(line)
                    if event is not None:
                        number = 0
                        yield event
            except httpx2.RequestError:
                # It goes on behind the last event that came.
                pass
            finally:
                response.close()
            time.sleep(retries.pause(number + 1, NoAnswerError()) or 0.0)

    def _refresh(self, stale: Tokens) -> None:
        """The first thread refreshes; the others wait for it and share the outcome."""
        with self._lock:
            if self._session.tokens is not stale:
                return
            under_way = self._session.refreshing
            mine: Future[None] = Future()
            if under_way is None:
                self._session.refreshing = mine
        if under_way is not None:
            under_way.result()
            return
        try:
            self._drive(refresh(self._session, stale, self._options))
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(None)
        finally:
            with self._lock:
                self._session.refreshing = None
