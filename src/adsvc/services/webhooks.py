"""Webhooks: their secrets, and what administrators and accounts do with theirs."""

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from standardwebhooks import Webhook as Signer

from adsvc import errors
from adsvc.enums import AuditKind, DeliveryStatus, DisabledReason, EventType, KeyScope
from adsvc.kit import faults
from adsvc.kit.db.database import DatabaseSession, Transaction
from adsvc.kit.http.outbound import ForbiddenAddressError, checked_url, networks_of
from adsvc.kit.security.encryption import Encryption, UnreadableSecretError
from adsvc.models.webhooks import Webhook, WebhookDelivery
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.operation.server import WEBHOOKS
from adsvc.schemas.events import CreateWebhook, UpdateWebhook
from adsvc.services import audit
from adsvc.services.accounts.sessions import AccountRequest
from adsvc.settings import Settings

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

# Of the site. Each may have two requests under way, and one takes nothing from another.
MOST_WEBHOOKS = 20
MOST_OF_ACCOUNT = 5
# What an account is sent, and what a key needs for it.
OWN_TYPES: Mapping[str, KeyScope] = {
    **{kind: KeyScope.ADS_READ for kind in EventType if kind.startswith("ad.")},
    **dict.fromkeys(webhook_rows.MESSAGE_TYPES, KeyScope.MESSAGES_READ),
    EventType.SEARCH_MATCHED: KeyScope.ACCOUNT_READ,
}
SITE_TYPES = frozenset(EventType) - {EventType.SEARCH_MATCHED}
# Standard Webhooks: between 24 and 64.
SECRET_BYTES = 32
SECRET_MARK = "whsec_"  # noqa: S105 - no secret
# For so long the secret before signs too.
ROTATION = timedelta(hours=24)
TEST_TYPE = "webhook.test"


class WebhookSecrets:
    """Makes secrets, and encrypts them for the database."""

    def __init__(self, *jwt_secrets: str) -> None:
        self._encryption = Encryption(*jwt_secrets, kind=WEBHOOKS)

    @staticmethod
    def new() -> str:
        drawn = secrets.token_bytes(SECRET_BYTES)
        return SECRET_MARK + base64.b64encode(drawn).decode()

    def encrypted(self, secret: str) -> bytes:
        return self._encryption.encrypted(secret.encode())

    def decrypted(self, stored: bytes) -> str:
        try:
            return self._encryption.decrypted(stored).decode()
        except UnreadableSecretError as error:
            raise UnreadableSecretError(f"{error} Rotate it.") from None


def headers_of(message: UUID, body: str, signers: Sequence[str], at: datetime) -> dict[str, str]:
    """As Standard Webhooks has them; `signers` are secrets, each of which signs."""
    name = f"msg_{message.hex}"
    signatures = [Signer(secret).sign(name, at, body) for secret in signers]
    return {
        "webhook-id": name,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def outbound_client(settings: Settings) -> "OutboundClient":
    from adsvc.kit.http.outbound_client import OutboundClient  # noqa: PLC0415 - takes memory

    proxy = settings.webhook_proxy
    return OutboundClient(
        settings.webhook_networks, proxy=None if proxy is None else proxy.get_secret_value()
    )


def _checked_url(settings: Settings, text: str) -> str:
    try:
        return str(checked_url(text, networks_of(settings.webhook_networks)))
    except ForbiddenAddressError as error:
        raise errors.InvalidRequestError(faults.wrong_format(str(error)).at("/url")) from error


def _check_types(types: Sequence[str], owner_id: int | None) -> None:
    """Refuses those that the owner is not sent."""
    options = SITE_TYPES if owner_id is None else OWN_TYPES.keys()
    fault = faults.not_an_option(sorted(options))
    if wrong := [fault.at(f"/types/{at}") for at, kind in enumerate(types) if kind not in options]:
        raise errors.InvalidRequestError(*wrong)


async def existing(
    session: DatabaseSession, webhook_id: int, *, for_update: bool = False
) -> Webhook:
    webhook = await webhook_rows.get(session, webhook_id, for_update=for_update)
    if webhook is None:
        raise errors.WebhookNotFoundError
    return webhook


async def create(
    request: AccountRequest, sent: CreateWebhook, owner_id: int | None
) -> tuple[Webhook, str]:
    """The webhook and its secret. Without an owner it is the site's."""
    transaction, settings, creator = request.transaction, request.settings, request.user
    url = _checked_url(settings, sent.url)
    _check_types(sent.types, owner_id)
    most = MOST_WEBHOOKS if owner_id is None else MOST_OF_ACCOUNT
    if await webhook_rows.lock_count(transaction, owner_id) >= most:
        raise errors.TooManyError(most, "webhooks")
    keeping = WebhookSecrets(*settings.jwt_secrets())
    secret = keeping.new()
    webhook = Webhook(
        url=url,
        types=list(sent.types),
        description=sent.description,
        creator_id=creator.id,
        owner_id=owner_id,
        secret=keeping.encrypted(secret),
    )
    await webhook_rows.add(transaction, webhook)
    audit.record(transaction, AuditKind.WEBHOOK_CREATED, actor=creator.id, target=webhook.id)
    return webhook, secret


async def update(request: AccountRequest, webhook_id: int, sent: UpdateWebhook) -> Webhook:
    """One that is disabled gives up what is pending; one that is enabled begins with new events."""
    transaction, changes = request.transaction, sent.changes()
    if "url" in changes:
        changes["url"] = _checked_url(request.settings, changes["url"])
    webhook = await existing(transaction, webhook_id, for_update=True)
    _check_types(changes.get("types", ()), webhook.owner_id)
    if changes.get("enabled", webhook.enabled) != webhook.enabled:
        webhook.disabled_at = webhook.disabled_reason = None
        if webhook.enabled:
            await webhook_rows.give_up(transaction, webhook.id)
            webhook.disabled_at = datetime.now(UTC)
            webhook.disabled_reason = DisabledReason.REQUESTED
        else:
            await webhook_rows.begin(transaction, webhook)
    if changes.keys() & {"url", "enabled"}:
        webhook.failures, webhook.failing_since, webhook.paused_until = 0, None, None
    for name, value in changes.items():
        setattr(webhook, name, value)
    await transaction.flush()
    actor_id = request.user.id
    audit.record(transaction, AuditKind.WEBHOOK_CHANGED, actor=actor_id, target=webhook.id)
    return webhook


async def remove(transaction: Transaction, user: CallerAccount, webhook_id: int) -> None:
    if not await webhook_rows.delete_webhook(transaction, webhook_id):
        raise errors.WebhookNotFoundError
    audit.record(transaction, AuditKind.WEBHOOK_DELETED, actor=user.id, target=webhook_id)


async def disable_all(
    transaction: Transaction, owner_id: int, *, since: datetime | None = None
) -> None:
    """All of the account, or those that were created or changed from that moment on."""
    for webhook_id in await webhook_rows.enabled_of(transaction, owner_id, since):
        await webhook_rows.disable(transaction, webhook_id, DisabledReason.REQUESTED, None)
        audit.record(transaction, AuditKind.WEBHOOK_CHANGED, actor=owner_id, target=webhook_id)


async def rotate(request: AccountRequest, webhook_id: int) -> tuple[Webhook, str]:
    """As `create`. The secret before signs too for a day, the one before that no more."""
    transaction = request.transaction
    webhook = await existing(transaction, webhook_id, for_update=True)
    keeping = WebhookSecrets(*request.settings.jwt_secrets())
    secret = keeping.new()
    webhook.old_secret, webhook.old_secret_until = webhook.secret, datetime.now(UTC) + ROTATION
    webhook.secret = keeping.encrypted(secret)
    await transaction.flush()
    event = AuditKind.WEBHOOK_SECRET_ROTATED
    audit.record(transaction, event, actor=request.user.id, target=webhook.id)
    return webhook, secret


async def test(transaction: Transaction, webhook_id: int) -> None:
    """Queues an event that is not in the log."""
    webhook = await _to_be_tried(transaction, webhook_id)
    now = datetime.now(UTC)
    body = {
        "id": 0,
        "type": TEST_TYPE,
        "at": int(now.timestamp() * 1000),
        "ad": None,
        "user": None,
        "data": {"webhook": webhook.id},
    }
    delivery = WebhookDelivery(
        webhook_id=webhook.id,
        event_id=0,
        type=TEST_TYPE,
        body=json.dumps(body),
        message_id=uuid4(),
        next_at=now.replace(microsecond=0),
    )
    await webhook_rows.add_delivery(transaction, delivery)


async def _to_be_tried(transaction: Transaction, webhook_id: int) -> Webhook:
    """Ends the pause of an open circuit: its owner wants to see if the receiver answers."""
    webhook = await existing(transaction, webhook_id, for_update=True)
    if not webhook.enabled:
        raise errors.WebhookDisabledError
    webhook.paused_until = None
    await transaction.flush()
    return webhook


async def retry(transaction: Transaction, webhook_id: int, delivery_id: int) -> None:
    """Begins its attempts anew, also of one that was delivered."""
    await _to_be_tried(transaction, webhook_id)
    if not await webhook_rows.retry(transaction, webhook_id, delivery_id):
        raise errors.DeliveryNotFoundError


async def replay(transaction: Transaction, webhook_id: int, since: datetime) -> None:
    """As `retry`, of all that were queued since then and given up."""
    await _to_be_tried(transaction, webhook_id)
    await webhook_rows.replay(transaction, webhook_id, since)


def status_of(text: str | None) -> DeliveryStatus | None:
    return None if text is None else DeliveryStatus(text)
