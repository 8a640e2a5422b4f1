"""Sends events to webhooks: at least once, and no webhook waits for another.

What is new in the log is queued for each webhook. Each of the site has places of its own; those of
accounts share some, of which an account has few. A repeated delivery has the same `webhook-id`.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adsvc import __version__
from adsvc.enums import DisabledReason
from adsvc.errors import DeliveryError, NotDeliveredError
from adsvc.invalidation import InvalidationKind
from adsvc.kit.counters import WebhookCounts
from adsvc.kit.db.database import Database
from adsvc.kit.deliveries import MARGIN_SECONDS, Circuit, DeliveryLane, post
from adsvc.kit.http.outbound import Answer, ForbiddenAddressError
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.observability.tracing import span
from adsvc.kit.security.encryption import UnreadableSecretError
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.webhooks import ClaimedDelivery
from adsvc.services.mail.rendering import Letter, to_account
from adsvc.services.webhooks import MOST_WEBHOOKS, WebhookSecrets, headers_of

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

ATTEMPT_SECONDS = 15.0
# Before the second attempt and those that follow.
PAUSES = (5, 5 * 60, 30 * 60, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)))
# While a circuit is open one attempt at a time is made, less and less often.
CIRCUIT = Circuit(failures=5, first_seconds=5, longest_seconds=300)
# Until it is disabled.
OPEN = Circuit(failures=0, first_seconds=3600, longest_seconds=3600)
HOPELESS_SECONDS = 5 * 24 * 3600.0
GONE = 410

# Of a process, at once: two for each webhook of the site, and what those of accounts share.
PLACES_OF_SITE = 2 * MOST_WEBHOOKS
PLACES_OF_ACCOUNTS = 400

# Of the log, at once, for each webhook.
EVENTS_AT_ONCE = 500
# Of one webhook. What is beyond waits in the log.
MOST_PENDING = 1000
# How long it may take until something is found whose notice is lost, or which becomes due; and
# without any webhook.
POLL_SECONDS = 0.5
IDLE_SECONDS = 5.0


class WebhookDeliveries(DeliveryLane[ClaimedDelivery]):
    def __init__(
        self,
        database: Database,
        client: "OutboundClient",
        secrets: WebhookSecrets,
        *,
        shutdown_grace_seconds: float,
        counts: WebhookCounts,
    ) -> None:
        super().__init__(
            "webhooks",
            at_once=PLACES_OF_SITE + PLACES_OF_ACCOUNTS,
            shutdown_grace_seconds=shutdown_grace_seconds,
        )
        self._database = database
        self._client, self._secrets = client, secrets
        self._events_seen = float("-inf")
        self._has_events = True
        self._is_idle = False
        self.counts = counts

    @property
    def poll_seconds(self) -> float:
        return IDLE_SECONDS if self._is_idle else POLL_SECONDS

    def wake(self, change: Invalidation | None = None) -> None:
        """The log may have new events."""
        self._has_events = True
        if change is not None and change.kind == InvalidationKind.WEBHOOK:
            self._is_idle = False
        # Without webhooks nothing follows from events.
        if not self._is_idle:
            self._woken.set()

    async def claim(self, room: int) -> Sequence[ClaimedDelivery]:
        if self._has_events or time.monotonic() - self._events_seen >= POLL_SECONDS:
            self._has_events = False
            self._events_seen = time.monotonic()
            filled = await webhook_rows.fill(self._database.writer, EVENTS_AT_ONCE, MOST_PENDING)
            self._is_idle = not filled["any_enabled"]
            if filled["has_more"]:
                self._has_events = True
                self._woken.set()
        if self._is_idle:
            return ()
        return await webhook_rows.claim(
            self._database.writer,
            CIRCUIT,
            room=room - PLACES_OF_SITE,
            seconds=ATTEMPT_SECONDS + MARGIN_SECONDS,
        )

    async def send(self, delivery: ClaimedDelivery) -> Answer:
        attributes = {"adsvc.webhook": delivery.webhook_id, "adsvc.attempt": delivery.attempts}
        with span("webhook delivery", attributes, begins_trace=True):
            try:
                stored = filter(None, (delivery.secret, delivery.old_secret))
                signers = [self._secrets.decrypted(secret) for secret in stored]
                signed = headers_of(delivery.message_id, delivery.body, signers, datetime.now(UTC))
                headers = {
                    **signed,
                    "content-type": "application/json",
                    "user-agent": f"adsvc/{__version__}",
                }
                url, body, limit = delivery.url, delivery.body.encode(), ATTEMPT_SECONDS
                return await post(self._client, url, body, headers, seconds=limit, final=(GONE,))
            except (ForbiddenAddressError, UnreadableSecretError) as error:
                raise NotDeliveredError(str(error)) from error

    def pause_before(self, attempt: int) -> float | None:
        return PAUSES[attempt - 2] if attempt <= len(PAUSES) + 1 else None

    async def delivered(self, delivery: ClaimedDelivery, answer: Answer | None) -> None:
        self.counts.delivered += 1
        status, body = (None, b"") if answer is None else (answer.status, answer.body)
        await webhook_rows.delivered(self._database.writer, delivery, status, _text(body))

    async def failed(
        self, delivery: ClaimedDelivery, error: Exception, pause: float | None
    ) -> None:
        if not isinstance(error, DeliveryError):
            # The receiver is not to blame.
            raise error
        attempt = delivery.webhook_id, delivery.id, delivery.attempts
        self._logger.warning("Webhook %d, delivery %d, attempt %d: %s", *attempt, error)
        self.counts.failed += 1
        gone = error.status == GONE
        is_hopeless = await webhook_rows.failed(
            self._database.writer,
            delivery,
            error.status,
            _text(error.body),
            OPEN if gone else CIRCUIT,
            pause=pause,
            hopeless_seconds=HOPELESS_SECONDS,
        )
        if is_hopeless or gone:
            await self._disable(delivery, gone=gone)

    async def _disable(self, delivery: ClaimedDelivery, *, gone: bool) -> None:
        mail, reason = None, DisabledReason.GONE if gone else DisabledReason.FAILING
        if delivery.creator_id is not None:
            letter, url = Letter.WEBHOOK_DISABLED, delivery.url
            about = {"url": url, "host": urlsplit(url).hostname or ""}
            flags = {"gone": gone, "personal": delivery.owner_id is not None}
            webhook = delivery.webhook_id
            mail = to_account(letter, delivery.creator_id, webhook=webhook, **flags, **about)
        if await webhook_rows.disable(self._database.writer, delivery.webhook_id, reason, mail):
            self.counts.disabled += 1
            self._logger.error("Webhook %d was disabled.", delivery.webhook_id)


def _text(body: bytes) -> str:
    """Of any answer. PostgreSQL stores no NUL."""
    return body.decode(errors="ignore").replace("\0", "")
