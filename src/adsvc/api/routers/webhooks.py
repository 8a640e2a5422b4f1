"""Webhooks, and the deliveries to them."""

from functools import partial

from fastapi import APIRouter
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.dependencies.access import existing_webhook
from adsvc.api.dependencies.bodies import Call, Json, Page
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import DeliveryIdPath, PageQuery, WebhookIdPath
from adsvc.errors import (
    DeliveryNotFoundError,
    TooManyError,
    WebhookDisabledError,
    WebhookNotFoundError,
)
from adsvc.models import KeyScope, Role
from adsvc.repositories import webhooks as webhook_rows
from adsvc.schemas.webhooks import (
    CreatedWebhook,
    CreateWebhook,
    Deliveries,
    Delivery,
    DeliveryStatus,
    UpdateWebhook,
    Webhook,
    Webhooks,
)
from adsvc.services import webhooks

router = APIRouter(prefix="/webhooks", tags=["webhooks"])

operation = partial(Endpoint, router, requires=KeyScope.ADMIN, role=Role.ADMIN)


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
    summary="Create a webhook",
    status=201,
    body=Json(CreateWebhook),
    refused_with=(TooManyError,),
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

    Administrators may. There may be 20 webhooks. Counts towards the account's limit on changes.
    """
    settings = call.state.settings
    created = await webhooks.create(call.transaction, settings, call.user, call.content)
    return _with_secret(call, created)


@Endpoint(
    router,
    "GET",
    "",
    summary="List the webhooks",
    requires=KeyScope.ADMIN,
    role=Role.ADMIN,
)
async def list_webhooks(call: Call[None]) -> Webhooks:
    """Returns all webhooks of the site, whoever created them.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        found = await webhook_rows.all_webhooks(session)
    return Webhooks(results=[Webhook.model_validate(row) for row in found])


@Endpoint(
    router,
    "GET",
    "/{id}",
    summary="Get a webhook",
    requires=KeyScope.ADMIN,
    role=Role.ADMIN,
    refused_with=(WebhookNotFoundError,),
)
async def get_webhook(call: Call[None], webhook_id: WebhookIdPath) -> Webhook:
    """Returns a webhook.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        return Webhook.model_validate(await webhooks.existing(session, webhook_id))


@operation(
    "PATCH",
    "/{id}",
    summary="Change a webhook",
    body=Json(UpdateWebhook),
    access=existing_webhook,
)
async def update_webhook(call: Call[UpdateWebhook], webhook_id: int) -> Webhook:
    """Changes the members that are sent, and returns the webhook.

    What is pending when it is disabled is given up. When it is enabled, events are sent from then
    on. Administrators may. Counts towards the account's limit on changes.
    """
    row = await webhooks.update(
        call.transaction, call.state.settings, call.user, webhook_id, call.content
    )
    return Webhook.model_validate(row)


@operation(
    "DELETE",
    "/{id}",
    summary="Delete a webhook",
    status=204,
    refused_with=(WebhookNotFoundError,),
)
async def delete_webhook(call: Call[None], webhook_id: WebhookIdPath) -> None:
    """Deletes a webhook with its deliveries.

    Administrators may. Counts towards the account's limit on changes.
    """
    await webhooks.remove(call.transaction, call.user, webhook_id)


@operation(
    "POST",
    "/{id}/rotate",
    summary="Give a webhook another secret",
    refused_with=(WebhookNotFoundError,),
)
async def rotate_webhook(call: Call[None], webhook_id: WebhookIdPath) -> CreatedWebhook:
    """Gives the webhook a new secret, and returns it with that.

    For 24 hours the secret before signs too, so each `webhook-signature` then has two. Of two
    rotations within 24 hours the first secret signs no more. Administrators may. Counts towards
    the account's limit on changes.
    """
    rotated = await webhooks.rotate(call.transaction, call.state.settings, call.user, webhook_id)
    return _with_secret(call, rotated)


@operation(
    "POST",
    "/{id}/test",
    summary="Send a test to a webhook",
    status=202,
    refused_with=(WebhookNotFoundError, WebhookDisabledError),
)
async def test_webhook(call: Call[None], webhook_id: WebhookIdPath) -> None:
    """Queues an event of the type `webhook.test` with the id 0. `GET /webhooks/{id}/deliveries`
    has what becomes of it.

    Administrators may. Counts towards the account's limit on changes.
    """
    await webhooks.test(call.transaction, webhook_id)


class DeliveriesQuery(PageQuery):
    status: DeliveryStatus | SkipJsonSchema[None] = None
    """Only deliveries with this status; all without it."""


@Endpoint(
    router,
    "GET",
    "/{id}/deliveries",
    summary="List the deliveries to a webhook",
    requires=KeyScope.ADMIN,
    role=Role.ADMIN,
    query=DeliveriesQuery,
    refused_with=(WebhookNotFoundError,),
    response_model=Deliveries,
)
async def list_deliveries(call: Call[None], webhook_id: WebhookIdPath) -> Page:
    """Returns a page of the deliveries to a webhook, the newest first. Those that have ended are
    kept for some days.

    Administrators may.
    """
    status = call.query.status
    page = call.page(f"deliveries {webhook_id} {status}", [("status", status)] if status else [])
    async with call.database.autocommit() as session:
        await webhooks.existing(session, webhook_id)
        found, last = await webhook_rows.deliveries(
            session, webhook_id, webhooks.status_of(status), page.limit, page.before
        )
    results = [Delivery.model_validate(row) for row in found]
    return Page(results, None if last is None else last.id)


@operation(
    "POST",
    "/{id}/deliveries/{deliveryId}/retry",
    summary="Send a delivery again",
    status=202,
    refused_with=(WebhookNotFoundError, DeliveryNotFoundError, WebhookDisabledError),
)
async def retry_delivery(
    call: Call[None], webhook_id: WebhookIdPath, delivery_id: DeliveryIdPath
) -> None:
    """Sends a delivery at once, with the same `webhook-id`. One that has ended begins its attempts
    anew, also if it was delivered.

    Administrators may. Counts towards the account's limit on changes.
    """
    await webhooks.retry(call.transaction, webhook_id, delivery_id)
