"""Webhooks, and the deliveries to them: each operation for those of the site and of an account."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic.json_schema import SkipJsonSchema

from adsvc import errors
from adsvc.api.dependencies import access
from adsvc.api.dependencies.access import DeliveryAddress
from adsvc.api.dependencies.calls import Call, Json, Page
from adsvc.api.dependencies.endpoints import Endpoint, Function, Router
from adsvc.api.input.parameters import PageQuery
from adsvc.enums import KeyScope, Role
from adsvc.models.webhooks import Webhook as WebhookRow
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.ads.criteria import EPOCH
from adsvc.schemas.events import (
    CreatedWebhook,
    CreateWebhook,
    Deliveries,
    Delivery,
    DeliveryStatus,
    ReplayDeliveries,
    UpdateWebhook,
    Webhook,
    Webhooks,
)
from adsvc.services import webhooks

Access = Callable[..., Awaitable[object]]


@dataclass(frozen=True)
class Owner:
    """Whose webhooks a router has."""

    router: Router
    # In names of operations: `createWebhook`, `createMyWebhook`.
    word: str
    reads: KeyScope
    writes: KeyScope
    role: Role | None
    webhook: Access
    delivery: Access


SITE = Owner(
    Router("/webhooks", tag="webhooks"),
    "",
    reads=KeyScope.ADMIN,
    writes=KeyScope.ADMIN,
    role=Role.ADMIN,
    webhook=access.site_webhook,
    delivery=access.site_delivery,
)
ACCOUNT = Owner(
    Router("/users/me/webhooks", tag="webhooks"),
    "My",
    reads=KeyScope.ACCOUNT_READ,
    writes=KeyScope.ACCOUNT_WRITE,
    role=None,
    webhook=access.own_webhook,
    delivery=access.own_delivery,
)


def operation(
    method: str,
    path: str,
    name: str,
    **options: Any,  # noqa: ANN401 - of `Endpoint`
) -> Callable[[Function], Function]:
    """Declares it for both owners. `name` has `{}` where the word of the owner is."""

    def declare(function: Function) -> Function:
        for owner in (SITE, ACCOUNT):
            found = owner.delivery if "{deliveryId}" in path else owner.webhook
            Endpoint(
                owner.router,
                method,
                path,
                operation_id=name.format(owner.word),
                requires=owner.reads if method == "GET" else owner.writes,
                role=owner.role,
                access=found if "{id}" in path else None,
                **options,
            )(function)
        return function

    return declare


def _owner_id(call: Call[Any]) -> int | None:
    """The caller's account; None for the site."""
    is_site = call.request.scope["path"].startswith(SITE.router.prefix)
    return None if is_site else call.caller.user_id


def _with_secret(
    call: Call[CreateWebhook] | Call[None], created: tuple[object, str]
) -> CreatedWebhook:
    call.headers["Cache-Control"] = "no-store"
    row, secret = created
    return CreatedWebhook(**Webhook.model_validate(row).model_dump(), secret=secret)


# It takes no `Idempotency-Key`: the answer has a secret, which is not to be kept.
@operation(
    "POST",
    "",
    "create{}Webhook",
    summary="Create a webhook",
    status=201,
    refused_with=(errors.TooManyError,),
)
async def create_webhook(call: Call[CreateWebhook]) -> CreatedWebhook:
    """Creates a webhook, and returns it with its secret, which cannot be read again. From now on
    events of these types are sent to the URL by `POST`.

    They are signed as Standard Webhooks says: `webhook-id`, which is the same at each attempt,
    `webhook-timestamp` and `webhook-signature`. The body is the `Event`. An answer of 2xx within 15
    seconds accepts it; anything else, redirects included, is repeated after 5 seconds, 5 and 30
    minutes, and 2, 5, 10, 14, 20 and 24 hours. Events may come twice, and in another order than
    that of their ids. After five days of failure, or an answer of 410, the webhook is disabled, and
    its creator gets a mail.

    The site may have 20 webhooks, which administrators manage below `/webhooks`; an account five,
    below `/users/me/webhooks`. An account is sent what concerns it: `ad.*` of its own ads,
    `message.sent`, `offer.made` and `offer.accepted` of the other party, and `searchMatched` with
    the ids of its `searches`. For these a key also needs `ads:read`, `messages:read` and
    `account:read`. Counts towards the account's limit on changes.
    """
    owner_id = _owner_id(call)
    if owner_id is not None:
        access.require_types(call.caller_with_account, call.content.types)
    return _with_secret(call, await webhooks.create(call, call.content, owner_id))


@operation("GET", "", "list{}Webhooks", summary="List the webhooks")
async def list_webhooks(call: Call[None]) -> Webhooks:
    """Returns all webhooks of the site, whoever created them, or of the account."""
    async with call.database.autocommit() as session:
        found = await webhook_rows.webhooks_of(session, _owner_id(call))
    return Webhooks(results=[Webhook.model_validate(row) for row in found])


@operation("GET", "/{id}", "get{}Webhook", summary="Get a webhook")
async def get_webhook(_: Call[None], webhook: WebhookRow) -> Webhook:
    """Returns a webhook."""
    return Webhook.model_validate(webhook)


@operation(
    "PATCH", "/{id}", "update{}Webhook", summary="Change a webhook", body=Json(UpdateWebhook)
)
async def update_webhook(call: Call[UpdateWebhook], webhook: WebhookRow) -> Webhook:
    """Changes the members that are sent, and returns the webhook.

    What is pending when it is disabled is given up. When it is enabled, events are sent from then
    on. Counts towards the account's limit on changes.
    """
    if webhook.owner_id is not None:
        access.require_types(call.caller_with_account, call.content.types or ())
    return Webhook.model_validate(await webhooks.update(call, webhook.id, call.content))


@operation("DELETE", "/{id}", "delete{}Webhook", summary="Delete a webhook", needs_terms=False)
async def delete_webhook(call: Call[None], webhook: WebhookRow) -> None:
    """Deletes a webhook with its deliveries. Counts towards the account's limit on changes."""
    await webhooks.remove(call.transaction, call.user, webhook.id)


@operation("POST", "/{id}/rotate", "rotate{}Webhook", summary="Give a webhook another secret")
async def rotate_webhook(call: Call[None], webhook: WebhookRow) -> CreatedWebhook:
    """Gives the webhook a new secret, and returns it with that.

    For 24 hours the secret before signs too, so each `webhook-signature` then has two. Of two
    rotations within 24 hours the first secret signs no more. Counts towards the account's limit on
    changes.
    """
    return _with_secret(call, await webhooks.rotate(call, webhook.id))


@operation(
    "POST",
    "/{id}/test",
    "test{}Webhook",
    summary="Send a test to a webhook",
    status=202,
    refused_with=(errors.WebhookDisabledError,),
)
async def test_webhook(call: Call[None], webhook: WebhookRow) -> None:
    """Queues an event of the type `webhook.test` with the id 0. The list of deliveries has what
    becomes of it. Counts towards the account's limit on changes.
    """
    await webhooks.test(call.transaction, webhook.id)


class DeliveriesQuery(PageQuery):
    status: DeliveryStatus | SkipJsonSchema[None] = None
    """Only deliveries with this status; all without it."""


@operation(
    "GET",
    "/{id}/deliveries",
    "list{}Deliveries",
    summary="List the deliveries to a webhook",
    query=DeliveriesQuery,
    response_model=Deliveries,
)
async def list_deliveries(call: Call[None], webhook: WebhookRow) -> Page:
    """Returns a page of the deliveries to a webhook, the newest first. Those that have ended are
    kept for some days.
    """
    status = call.query.status
    page = call.page(f"deliveries {webhook.id} {status}")
    async with call.database.autocommit() as session:
        found, last = await webhook_rows.deliveries(
            session, webhook.id, webhooks.status_of(status), page.limit, page.before
        )
    results = [Delivery.model_validate(row) for row in found]
    return Page(results, None if last is None else last.id)


@operation(
    "POST",
    "/{id}/deliveries/{deliveryId}/retry",
    "retry{}Delivery",
    summary="Send a delivery again",
    status=202,
    refused_with=(errors.WebhookDisabledError,),
)
async def retry_delivery(call: Call[None], delivery: DeliveryAddress) -> None:
    """Sends a delivery at once, with the same `webhook-id`. One that has ended begins its attempts
    anew, also if it was delivered. Counts towards the account's limit on changes.
    """
    await webhooks.retry(call.transaction, delivery.webhook.id, delivery.id)


@operation(
    "POST",
    "/{id}/replay",
    "replay{}Deliveries",
    summary="Send failed deliveries again",
    status=202,
    refused_with=(errors.WebhookDisabledError,),
)
async def replay_deliveries(call: Call[ReplayDeliveries], webhook: WebhookRow) -> None:
    """Sends all deliveries that were queued since the moment and given up, with the same
    `webhook-id`. They begin their attempts anew. Counts towards the account's limit on changes.
    """
    since = EPOCH + timedelta(milliseconds=call.content.since)
    await webhooks.replay(call.transaction, webhook.id, since)
