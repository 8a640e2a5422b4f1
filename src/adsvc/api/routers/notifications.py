"""Notifications, and in which ways an account wants them."""

from typing import Annotated, Any

from pydantic import Field

from adsvc.api.dependencies.calls import SESSION, Call, Json, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import PageQuery, PushIdPath
from adsvc.enums import Feature, KeyScope
from adsvc.errors import PushNotFoundError, SessionRequiredError
from adsvc.repositories import notifications as notification_rows
from adsvc.repositories import push as push_rows
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
from adsvc.services import notifications

router = Router(
    "/users/me", tag="users", requires=KeyScope.ACCOUNT_WRITE, reads=KeyScope.ACCOUNT_READ
)

links_router = Router(tag="users")


class NotificationsQuery(PageQuery):
    unread: Annotated[bool, Field(examples=[True])] = False
    """Whether to return only those that were not read."""


@router.get(
    "/notifications",
    summary="List the caller's notifications",
    own_list=True,
    query=NotificationsQuery,
    response_model=Notifications,
)
async def list_my_notifications(call: Call[None]) -> Page:
    """Returns a page of the caller's notifications, the newest first, and how many are unread."""
    user_id, unread = call.caller.user_id, call.query.unread
    page = call.page(f"notifications {user_id} {unread}")
    found = await notification_rows.page(
        call.database.reader, user_id, page.limit, unread=unread, before=page.before
    )
    return Page(found.records, found.last_id, {"unread": found.unread})


@router.post(
    "/notifications/read",
    summary="Mark notifications as read",
    body=Json(ReadNotifications, adds_text=False),
)
async def read_notifications(call: Call[ReadNotifications]) -> None:
    """Marks the notification `upTo` and all older ones of the caller as read.

    Counts towards the account's limit on changes.
    """
    await notification_rows.mark_read(call.transaction, call.user.id, call.content.up_to)


@router.get(
    "/preferences",
    summary="Get the caller's preferences",
    account=True,
)
async def get_my_preferences(call: Call[None]) -> Preferences:
    """Returns in which ways the caller wants each type of notifications."""
    async with call.database.autocommit() as session:
        return await notifications.preferences(session, call.user)


@router.patch(
    "/preferences",
    summary="Change the caller's preferences",
    body=Json(UpdatePreferences, adds_text=False),
)
async def update_my_preferences(call: Call[UpdatePreferences]) -> Preferences:
    """Changes the ways that are sent, and returns all preferences.

    Counts towards the account's limit on changes.
    """
    return await notifications.choose(call.transaction, call.user, call.content)


@router.put(
    "/push",
    summary="Send notifications to a browser",
    features=(Feature.PUSH,),
    requires=SESSION,
    # With a stolen token, all that comes later could be read.
    fresh_factor=True,
)
async def subscribe_to_push(call: Call[PushSubscription]) -> None:
    """Sends the caller's notifications to this browser too, as the preferences say. The body is its
    `PushSubscription.toJSON()`, made with `Site.pushKey`.

    An account may have 10 browsers; one more takes the place of the oldest. A browser gets the
    notifications of one account, until the session ends that has added it. One that another account
    has added needs the same `keys`, otherwise it is 400. Counts towards the
    account's limit on changes.
    """
    session_id = call.caller.session_id
    if session_id is None:
        raise SessionRequiredError
    await notifications.subscribe(
        call.transaction, call.state.settings, call.user, session_id, call.content
    )


@router.get(
    "/push",
    summary="List the browsers that get the caller's notifications",
    features=(Feature.PUSH,),
    requires=SESSION,
)
async def list_my_push(call: Call[None]) -> PushBrowsers:
    """Returns the browsers that get the caller's notifications, the newest first. Each ends with
    its session. Their endpoints are not among what is returned.
    """
    found = await push_rows.list_of_user(call.database.reader, call.caller.user_id)
    return PushBrowsers(
        results=[
            PushBrowser(
                id=row["id"],
                host=row["host"],
                at=row["created_at"],
                session=row["session_id"],
                current=row["session_id"] == call.caller.session_id,
            )
            for row in found
        ]
    )


@router.delete(
    "/push/{id}",
    summary="Remove a browser",
    needs_terms=False,
    requires=SESSION,
    limit=None,
    refused_with=(PushNotFoundError,),
)
async def delete_push(call: Call[None], push_id: PushIdPath) -> None:
    """Sends no more notifications to a browser of the caller."""
    if not await push_rows.delete_subscription(call.transaction, call.user.id, push_id):
        raise PushNotFoundError


@router.delete(
    "/push",
    summary="Send no more notifications to a browser",
    needs_terms=False,
    requires=SESSION,
    body=Json(ForgetPush, adds_text=False),
)
async def unsubscribe_from_push(call: Call[ForgetPush]) -> None:
    """Forgets a browser of the caller, if there is one with this `endpoint`.

    Counts towards the account's limit on changes.
    """
    await notifications.unsubscribe(
        call.transaction, call.state.settings, call.user, call.content.endpoint
    )


TOKEN: dict[str, Any] = {
    "name": "token",
    "in": "query",
    "required": True,
    "description": "The token of the link in a mail.",
    "schema": {"type": "string"},
    "example": "2Hn0mKqkP5n1vJf8cWm0Zjc6cHJpY2VEcm9wcGVk",
}


@links_router.post(
    "/unsubscribe",
    summary="End mails of one kind",
    anonymous=True,
    openapi_extra={"parameters": [TOKEN]},
)
async def unsubscribe(call: Call[None]) -> None:
    """Ends the mails of one kind to the account that a mail was sent to, by the link in that mail
    (RFC 8058). A body, such as a form, is not read.

    Anyone who has the link may call it. The answer is the same if the mails were ended before, and
    if the token is none: then nothing changes.
    """
    await notifications.unsubscribe_mails(
        call.transaction, call.request.query_params.get("token", "")
    )
