"""Sends notifications to browsers by Web Push, apart from mails and webhooks.

A claim lasts longer than an attempt may take, as in `worker.outbox`. A message is worth little when
it is late, so it is given up after some hours.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from asyncpg import PostgresError

from adsvc.db.database import Database
from adsvc.db.faults import is_database_fault
from adsvc.http.outbound import ForbiddenAddressError, UnreachableError
from adsvc.invalidation import Invalidation, InvalidationKind
from adsvc.observability.logging import CountedWarning
from adsvc.repositories.push import ClaimedMessage, PushQueue
from adsvc.services import push
from adsvc.services.mail.rendering import LANGUAGES, Letter, subject_of, usual
from adsvc.services.notifications import notice_values
from adsvc.services.push import SiteKeys
from adsvc.settings import Settings

if TYPE_CHECKING:
    from adsvc.http.outbound_client import OutboundClient

logger = logging.getLogger("adsvc.push")
waiting = CountedWarning(logger, "Web Push waits for the database: %s")

ATTEMPT_SECONDS = 10.0
# As `worker.outbox.MARGIN_SECONDS`.
MARGIN_SECONDS = 5.0
# Before the second attempt and those that follow.
PAUSES = (60, 10 * 60, 3600, 4 * 3600)
AT_ONCE = 32
POLL_SECONDS = 5.0
ACCEPTED = range(200, 300)
# RFC 8030 §7.3, and what push services answer for a subscription that has ended.
GONE = (404, 410)
# What another attempt does not mend: a key that is not theirs, a message that is too large.
REFUSED = (400, 401, 403, 413)
TITLE_MAX_LENGTH = 150


class PushLane:
    def __init__(
        self, database: Database, settings: Settings, open_client: "Callable[[], OutboundClient]"
    ) -> None:
        """`open_client` is called when there is something to send, and never on most sites."""
        self._queue = PushQueue(database.writer)
        self._open_client = open_client
        self._usual = usual(settings.languages)
        self._settings = settings
        self._keys = SiteKeys(database)
        self._under_way: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()

    @cached_property
    def _client(self) -> "OutboundClient":
        return self._open_client()

    def wake(self, change: Invalidation) -> None:
        """Called for each change that is announced. Most messages come with a notification."""
        if change.kind is InvalidationKind.NOTIFICATION:
            self._woken.set()

    async def run(self) -> None:
        """Until it is cancelled. The claims that remain then expire."""
        try:
            while True:
                self._woken.clear()
                try:
                    await self._take()
                except Exception as error:  # noqa: BLE001 - it is looked at again
                    _log_fault(error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_SECONDS):
                        await self._woken.wait()
        finally:
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)
            if "_client" in vars(self):
                await self._client.close()

    async def _take(self) -> None:
        """Begins as many messages as there is room for: a slow push service delays few others."""
        room = AT_ONCE - len(self._under_way)
        if not room:
            return
        seconds = ATTEMPT_SECONDS + MARGIN_SECONDS
        for message in await self._queue.claim(room, seconds=seconds):
            task = asyncio.create_task(self._handle(message))
            self._under_way.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._woken.set()

    async def _handle(self, message: ClaimedMessage) -> None:
        try:
            status = None if message.is_void else await self._attempt(message)
            if message.is_void or status in ACCEPTED or status in REFUSED:
                if status in REFUSED:
                    logger.warning("A push service has refused a message: %s", status)
                await self._queue.done(message)
            elif status in GONE:
                await self._queue.forget(message)
            elif message.attempts > len(PAUSES):
                await self._queue.done(message)
            else:
                await self._queue.postpone(message, PAUSES[message.attempts - 1])
        except Exception as error:  # noqa: BLE001 - the claim expires
            _log_fault(error)

    async def _attempt(self, message: ClaimedMessage) -> int | None:
        """The status of the answer; None without one."""
        key = await self._keys.key()
        content = json.dumps(self._content(message), ensure_ascii=False).encode()
        try:
            answer = await self._client.post(
                message.endpoint,
                push.encrypted(content, message.public_key, message.auth),
                key.headers(message.endpoint, self._settings.link_base),
                seconds=ATTEMPT_SECONDS,
            )
        except ForbiddenAddressError:
            # It resolves to a network that is not public.
            return GONE[0]
        except UnreachableError as error:
            logger.warning("A message of Web Push was not sent: %s", error)
            return None
        return answer.status

    def _content(self, message: ClaimedMessage) -> dict[str, str]:
        """What the service worker of the storefront shows."""
        payload = message.payload
        language = message.language if message.language in LANGUAGES else self._usual
        title = (message.title or "")[:TITLE_MAX_LENGTH]
        data = payload.get("data", {})
        values = notice_values(
            payload["type"], title, self._settings, data, texts=(),
            ad=payload.get("ad"), conversation=payload.get("conversation"),
            site=self._settings.site_name,
        )  # fmt: skip
        path = f"/a/{payload['ad']}" if "ad" in payload else "/my/notifications"
        if "conversation" in payload:
            path = f"/messages/{payload['conversation']}"
        elif "decision" in payload:
            path = "/account/decisions"
        letter = Letter.NOTICE
        if "search" in payload:
            letter, path = Letter.SEARCH_MATCHED, f"/my/searches/{payload['search']}"
            values |= {"search": payload["search"], "name": data["name"][:TITLE_MAX_LENGTH],
                       "count": data["count"]}  # fmt: skip
        kinds = ("conversation", "ad", "decision", "search")
        about = next((f"{kind}:{payload[kind]}" for kind in kinds if kind in payload), "")
        return {
            "title": self._settings.site_name,
            "body": subject_of(letter, language, values),
            "url": path,
            # A later one takes the place of an earlier one.
            "tag": about,
        }


def _log_fault(error: Exception) -> None:
    if is_database_fault(error) or isinstance(error, PostgresError):
        waiting.note(type(error.__cause__ or error).__name__)
    else:
        logger.error("Web Push failed.", exc_info=error)
