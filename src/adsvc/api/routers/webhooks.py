"""Webhooks, and the deliveries to them."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import json_response
from adsvc.api.dependencies.access import ReadSession, existing_webhook
from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.caller import Administrator, requires
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import DeliveryIdPath, PageQuery, Pairs, WebhookIdPath
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    DeliveryNotFoundError,
    ForbiddenError,
    InvalidRequestError,
    TooManyError,
    UnauthenticatedError,
    WebhookDisabledError,
    WebhookNotFoundError,
)
from adsvc.http.responses import PRIVATE
from adsvc.models import KeyScope, Role
from adsvc.repositories.webhooks import WebhookRepository
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

operation = partial(Operation, router, requires=KeyScope.ADMIN, role=Role.ADMIN)

READ_REFUSALS = (UnauthenticatedError, ForbiddenError)


def _with_secret(
    write: Write[CreateWebhook] | Write[None], created: tuple[object, str]
) -> CreatedWebhook:
    write.headers["Cache-Control"] = "no-store"
    row, secret = created
    return CreatedWebhook(**Webhook.model_validate(row).model_dump(), secret=secret)


# It takes no `Idempotency-Key`: the answer has a secret, which is not to be kept.
@operation(
    "POST",
    "",
    operation_id="createWebhook",
    summary="Create a webhook",
    status=201,
    response_model=CreatedWebhook,
    body=Json(CreateWebhook),
    refused_with=(TooManyError,),
)
async def create_webhook(write: Write[CreateWebhook]) -> CreatedWebhook:
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
    settings = write.state.settings
    created = await webhooks.create(write.transaction, settings, write.user, write.content)
    return _with_secret(write, created)


@router.get(
    "",
    operation_id="listWebhooks",
    summary="List the webhooks",
    dependencies=[requires(KeyScope.ADMIN)],
    response_model=Webhooks,
    responses=answer_responses() | refusals(*READ_REFUSALS),
)
async def list_webhooks(request: Request, _: Administrator, session: ReadSession) -> Response:
    """Returns all webhooks of the site, whoever created them.

    Administrators may.
    """
    found = await WebhookRepository(session).all()
    listed = Webhooks(results=[Webhook.model_validate(row) for row in found])
    return json_response(listed.model_dump_json(by_alias=True).encode(), PRIVATE).to(request)


@router.get(
    "/{id}",
    operation_id="getWebhook",
    summary="Get a webhook",
    dependencies=[requires(KeyScope.ADMIN)],
    response_model=Webhook,
    responses=answer_responses()
    | refusals(InvalidRequestError, *READ_REFUSALS, WebhookNotFoundError),
)
async def get_webhook(
    request: Request, _: Administrator, webhook_id: WebhookIdPath, session: ReadSession
) -> Response:
    """Returns a webhook.

    Administrators may.
    """
    record = Webhook.model_validate(await webhooks.existing(session, webhook_id))
    return json_response(record.model_dump_json(by_alias=True).encode(), PRIVATE).to(request)


@operation(
    "PATCH",
    "/{id}",
    operation_id="updateWebhook",
    summary="Change a webhook",
    response_model=Webhook,
    body=Json(UpdateWebhook),
    access=existing_webhook,
)
async def update_webhook(write: Write[UpdateWebhook], webhook_id: int) -> Webhook:
    """Changes the members that are sent, and returns the webhook.

    What is pending when it is disabled is given up. When it is enabled, events are sent from then
    on. Administrators may. Counts towards the account's limit on changes.
    """
    row = await webhooks.update(
        write.transaction, write.state.settings, write.user, webhook_id, write.content
    )
    return Webhook.model_validate(row)


@operation(
    "DELETE",
    "/{id}",
    operation_id="deleteWebhook",
    summary="Delete a webhook",
    status=204,
    refused_with=(WebhookNotFoundError,),
)
async def delete_webhook(write: Write[None], webhook_id: WebhookIdPath) -> None:
    """Deletes a webhook with its deliveries.

    Administrators may. Counts towards the account's limit on changes.
    """
    await webhooks.remove(write.transaction, write.user, webhook_id)


@operation(
    "POST",
    "/{id}/rotate",
    operation_id="rotateWebhook",
    summary="Give a webhook another secret",
    response_model=CreatedWebhook,
    refused_with=(WebhookNotFoundError,),
)
async def rotate_webhook(write: Write[None], webhook_id: WebhookIdPath) -> CreatedWebhook:
    """Gives the webhook a new secret, and returns it with that.

    For 24 hours the secret before signs too, so each `webhook-signature` then has two. Of two
    rotations within 24 hours the first secret signs no more. Administrators may. Counts towards
    the account's limit on changes.
    """
    rotated = await webhooks.rotate(write.transaction, write.state.settings, write.user, webhook_id)
    return _with_secret(write, rotated)


@operation(
    "POST",
    "/{id}/test",
    operation_id="testWebhook",
    summary="Send a test to a webhook",
    status=202,
    refused_with=(WebhookNotFoundError, WebhookDisabledError),
)
async def test_webhook(write: Write[None], webhook_id: WebhookIdPath) -> None:
    """Queues an event of the type `webhook.test` with the id 0. `GET /webhooks/{id}/deliveries`
    has what becomes of it.

    Administrators may. Counts towards the account's limit on changes.
    """
    await webhooks.test(write.transaction, webhook_id)


class DeliveriesQuery(PageQuery):
    status: Annotated[
        DeliveryStatus | SkipJsonSchema[None],
        Field(description="Only deliveries with this status; all without it."),
    ] = None


@router.get(
    "/{id}/deliveries",
    operation_id="listDeliveries",
    summary="List the deliveries to a webhook",
    dependencies=[requires(KeyScope.ADMIN)],
    response_model=Deliveries,
    responses=answer_responses()
    | refusals(InvalidRequestError, *READ_REFUSALS, WebhookNotFoundError),
)
async def list_deliveries(
    request: Request,
    _: Administrator,
    webhook_id: WebhookIdPath,
    state: AppStateDep,
    session: ReadSession,
    query: Annotated[DeliveriesQuery, Query()],
) -> Response:
    """Returns a page of the deliveries to a webhook, the newest first. Those that have ended are
    kept for some days.

    Administrators may.
    """
    size = query.size(state.settings)
    filters: Pairs = [("status", query.status)] if query.status else []
    page = query.page(request.url.path, filters, state, size)
    listing = f"deliveries {webhook_id} {query.status}"
    start = page.start(listing)
    await webhooks.existing(session, webhook_id)
    found, last = await WebhookRepository(session).deliveries(
        webhook_id, webhooks.status_of(query.status), size, int(start[0]) if start else None
    )
    cursor = link = None
    if last is not None:
        cursor, link = page.next(listing, [last.id])
    listed = Deliveries(results=[Delivery.model_validate(row) for row in found], next=cursor)
    body = listed.model_dump_json(by_alias=True).encode()
    return json_response(body, PRIVATE, link=link).to(request)


@operation(
    "POST",
    "/{id}/deliveries/{deliveryId}/retry",
    operation_id="retryDelivery",
    summary="Send a delivery again",
    status=202,
    refused_with=(WebhookNotFoundError, DeliveryNotFoundError, WebhookDisabledError),
)
async def retry_delivery(
    write: Write[None], webhook_id: WebhookIdPath, delivery_id: DeliveryIdPath
) -> None:
    """Sends a delivery at once, with the same `webhook-id`. One that has ended begins its attempts
    anew, also if it was delivered.

    Administrators may. Counts towards the account's limit on changes.
    """
    await webhooks.retry(write.transaction, webhook_id, delivery_id)
