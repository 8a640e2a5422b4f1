"""Sends notifications to browsers by Web Push, apart from mails and webhooks.

A message is worth little when it is late, so it is given up after a day.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adsvc.enums import Feature
from adsvc.errors import DeliveryError, UndeliverableError
from adsvc.kit.db.database import Database
from adsvc.kit.deliveries import MARGIN_SECONDS, Circuit, DeliveryLane, post
from adsvc.kit.http.outbound import Answer, ForbiddenAddressError
from adsvc.repositories import push as push_rows
from adsvc.repositories.push import ClaimedMessage, PushShares
from adsvc.services import notifications
from adsvc.services.mail.rendering import Letter, language_for, subject_of
from adsvc.services.notifications import SiteKeys, notice_values
from adsvc.settings import Settings

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

ATTEMPT_SECONDS = 10.0
# A browser that fails is paused with all its messages, up to four hours.
CIRCUIT = Circuit(failures=1, first_seconds=60, longest_seconds=4 * 3600)
# A browser that has failed for so long is forgotten.
HOPELESS_SECONDS = 3 * 24 * 3600.0
# Of a process.
AT_ONCE = 32
# Most browsers have one of few hosts; one of them that hangs leaves room for the others.
SHARES = PushShares(account=2, host=AT_ONCE // 2)
POLL_SECONDS = 5.0
# RFC 8030 §7.3, and what push services answer for a subscription that has ended.
GONE = (404, 410)
# What another attempt does not mend: a key that is not theirs, a message that is too large.
REFUSED = (400, 401, 403, 413)
TITLE_MAX_LENGTH = 150


class PushLane(DeliveryLane[ClaimedMessage]):
    poll_seconds = POLL_SECONDS

    def __init__(self, database: Database, settings: Settings, client: "OutboundClient") -> None:
        super().__init__("push", at_once=AT_ONCE, shutdown_grace_seconds=0)
        self._client = client
        self._writer = database.writer
        self._settings = settings
        self._keys = SiteKeys(database)

    async def claim(self, room: int) -> Sequence[ClaimedMessage]:
        seconds = ATTEMPT_SECONDS + MARGIN_SECONDS
        return await push_rows.claim(
            self._writer, room, SHARES, seconds=seconds, oldest_seconds=notifications.TTL_SECONDS
        )

    async def send(self, delivery: ClaimedMessage) -> Answer | None:
        if delivery.is_void or Feature.PUSH in self._settings.features_off:
            return None
        key = await self._keys.key()
        # The first one of a kind compiles its template.
        shown = await asyncio.to_thread(self._content, delivery)
        content = json.dumps(shown, ensure_ascii=False).encode()
        try:
            return await post(
                self._client,
                delivery.endpoint,
                notifications.encrypted(content, delivery.public_key, delivery.auth),
                key.headers(delivery.endpoint, self._settings.link_base),
                seconds=ATTEMPT_SECONDS,
                final=(*GONE, *REFUSED),
            )
        except ForbiddenAddressError as error:
            # It resolves to a network that is not public.
            raise UndeliverableError(str(error), GONE[0]) from error

    def pause_before(self, attempt: int) -> float:  # noqa: ARG002
        """The circuit pauses the browser."""
        return 0.0

    async def delivered(self, delivery: ClaimedMessage, answer: Answer | None) -> None:
        await push_rows.done(self._writer, delivery, delivered=answer is not None)

    async def failed(self, delivery: ClaimedMessage, error: Exception, pause: float | None) -> None:
        if not isinstance(error, DeliveryError):
            # The browser is not to blame.
            raise error
        is_hopeless = error.status in GONE or await push_rows.failed(
            self._writer,
            delivery,
            CIRCUIT,
            given_up=pause is None,
            hopeless_seconds=HOPELESS_SECONDS,
        )
        if is_hopeless:
            await push_rows.forget(self._writer, delivery)
        else:
            self._logger.warning("A message of Web Push was not sent: %s", error)

    def _content(self, message: ClaimedMessage) -> dict[str, str | bool]:
        """What the service worker of the storefront shows."""
        payload = message.payload
        language = language_for(
            message.language, self._settings.languages, self._settings.further_languages
        )
        title = (message.title or "")[:TITLE_MAX_LENGTH]
        data = payload.get("data", {})
        values = notice_values(
            payload["type"],
            title,
            self._settings,
            language,
            data,
            texts=(),
            ad=payload.get("ad"),
            conversation=payload.get("conversation"),
            site=self._settings.site_name,
        )
        path = f"/a/{payload['ad']}" if "ad" in payload else "/my/notifications"
        if "conversation" in payload:
            path = f"/messages/{payload['conversation']}"
        elif "decision" in payload:
            path = "/account/decisions"
        letter = Letter.NOTICE
        if "search" in payload:
            letter, path = Letter.SEARCH_MATCHED, f"/my/searches/{payload['search']}"
            values |= {
                "search": payload["search"],
                "name": data["name"][:TITLE_MAX_LENGTH],
                "count": data["count"],
            }
        return {
            "title": self._settings.site_name,
            "body": subject_of(letter, language, values),
            "url": path,
            # A later one takes the place of an earlier one.
            "tag": message.tag,
            **({"silent": True} if payload.get("silent") else {}),
        }
