"""Notifications, and in which ways an account wants them."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from adsvc.api.dependencies.bodies import Json, Page, Write
from adsvc.api.dependencies.caller import SESSION
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import PageQuery, Pairs, PushIdPath
from adsvc.errors import PushNotFoundError, SessionRequiredError
from adsvc.models import KeyScope
from adsvc.repositories.notifications import NotificationReadRepository
from adsvc.repositories.push import PushRepository
from adsvc.schemas.notifications import (
    ForgetPush,
    Notifications,
    Preferences,
    PushBrowser,
    PushBrowsers,
    PushSubscription,
    ReadNotifications,
    UpdatePreferences,
)
from adsvc.services import notifications, push

router = APIRouter(prefix="/users/me", tags=["users"])

links_router = APIRouter(tags=["users"])


class NotificationsQuery(PageQuery):
    unread: Annotated[bool, Field(examples=[True])] = False
    """Whether to return only those that were not read."""


@Operation(
    router,
    "GET",
    "/notifications",
    operation_id="listMyNotifications",
    summary="List the caller's notifications",
    requires=KeyScope.ACCOUNT_READ,
    own_list=True,
    query=NotificationsQuery,
    response_model=Notifications,
)
async def list_my_notifications(write: Write[None]) -> Page:
    """Returns a page of the caller's notifications, the newest first, and how many are unread."""
    user_id, unread = write.caller.user_id, write.query.unread
    filters: Pairs = [("unread", "true")] if unread else []
    page = write.page(f"notifications {user_id} {unread}", filters)
    found = await NotificationReadRepository(write.database.reader).page(
        user_id, page.limit, unread=unread, before=page.before
    )
    return Page(found.records, found.last_id, {"unread": found.unread})


@Operation(
    router,
    "POST",
    "/notifications/read",
    operation_id="readNotifications",
    summary="Mark notifications as read",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
    body=Json(ReadNotifications, adds_text=False),
)
async def read_notifications(write: Write[ReadNotifications]) -> None:
    """Marks the notification `upTo` and all older ones of the caller as read.

    Counts towards the account's limit on changes.
    """
    await notifications.mark_read(write.transaction, write.user, write.content.up_to)


@Operation(
    router,
    "GET",
    "/preferences",
    operation_id="getMyPreferences",
    summary="Get the caller's preferences",
    requires=KeyScope.ACCOUNT_READ,
    account=True,
    response_model=Preferences,
)
async def get_my_preferences(write: Write[None]) -> Preferences:
    """Returns in which ways the caller wants each type of notifications."""
    async with write.database.autocommit() as session:
        return await notifications.preferences(session, write.user)


@Operation(
    router,
    "PATCH",
    "/preferences",
    operation_id="updateMyPreferences",
    summary="Change the caller's preferences",
    requires=KeyScope.ACCOUNT_WRITE,
    response_model=Preferences,
    body=Json(UpdatePreferences, adds_text=False),
)
async def update_my_preferences(write: Write[UpdatePreferences]) -> Preferences:
    """Changes the ways that are sent, and returns all preferences.

    Counts towards the account's limit on changes.
    """
    return await notifications.choose(write.transaction, write.user, write.content)


@Operation(
    router,
    "PUT",
    "/push",
    operation_id="subscribeToPush",
    summary="Send notifications to a browser",
    requires=SESSION,
    # With a stolen token, all that comes later could be read.
    fresh_factor=True,
    status=204,
    body=Json(PushSubscription),
)
async def subscribe_to_push(write: Write[PushSubscription]) -> None:
    """Sends the caller's notifications to this browser too, as the preferences say. The body is its
    `PushSubscription.toJSON()`, made with `Site.pushKey`.

    An account may have 10 browsers; one more takes the place of the oldest. A browser gets the
    notifications of one account, until the session ends that has added it. Counts towards the
    account's limit on changes.
    """
    session_id = write.caller.session_id
    if session_id is None:
        raise SessionRequiredError
    await push.subscribe(
        write.transaction, write.state.settings, write.user, session_id, write.content
    )


@Operation(
    router,
    "GET",
    "/push",
    operation_id="listMyPush",
    summary="List the browsers that get the caller's notifications",
    requires=SESSION,
    response_model=PushBrowsers,
)
async def list_my_push(write: Write[None]) -> PushBrowsers:
    """Returns the browsers that get the caller's notifications, the newest first. Each ends with
    its session. Their endpoints are not among what is returned.
    """
    async with write.database.autocommit() as session:
        found = await PushRepository(session).list_of_user(write.caller.user_id)
    return PushBrowsers(
        results=[
            PushBrowser(
                id=row["id"],
                host=row["host"],
                at=row["created_at"],
                session=row["session_id"],
                current=row["session_id"] == write.caller.session_id,
            )
            for row in found
        ]
    )


@Operation(
    router,
    "DELETE",
    "/push/{id}",
    operation_id="deletePush",
    summary="Remove a browser",
    requires=SESSION,
    status=204,
    limit=None,
    refused_with=(PushNotFoundError,),
)
async def delete_push(write: Write[None], push_id: PushIdPath) -> None:
    """Sends no more notifications to a browser of the caller."""
    await push.remove(write.transaction, write.user, push_id)


@Operation(
    router,
    "DELETE",
    "/push",
    operation_id="unsubscribeFromPush",
    summary="Send no more notifications to a browser",
    requires=SESSION,
    status=204,
    body=Json(ForgetPush, adds_text=False),
)
async def unsubscribe_from_push(write: Write[ForgetPush]) -> None:
    """Forgets a browser of the caller, if there is one with this `endpoint`.

    Counts towards the account's limit on changes.
    """
    await push.unsubscribe(
        write.transaction, write.state.settings, write.user, write.content.endpoint
    )


TOKEN: dict[str, Any] = {
    "name": "token",
    "in": "query",
    "required": True,
    "description": "The token of the link in a mail.",
    "schema": {"type": "string"},
    "example": "2Hn0mKqkP5n1vJf8cWm0Zjc6cHJpY2VEcm9wcGVk",
}


@Operation(
    links_router,
    "POST",
    "/unsubscribe",
    operation_id="unsubscribe",
    summary="End mails of one kind",
    status=204,
    anonymous=True,
    openapi_extra={"parameters": [TOKEN]},
)
async def unsubscribe(write: Write[None]) -> None:
    """Ends the mails of one kind to the account that a mail was sent to, by the link in that mail
    (RFC 8058). A body, such as a form, is not read.

    Anyone who has the link may call it. The answer is the same if the mails were ended before, and
    if the token is none: then nothing changes.
    """
    await notifications.unsubscribe(write.transaction, write.request.query_params.get("token", ""))
