from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.responses import StreamingResponse

from adsvc.api.authentication import CallerDep, ClientAddress, CurrentUser
from adsvc.api.contract import image_form, json_request
from adsvc.api.dependencies import (
    CountedUpload,
    CountedWrite,
    ReadSession,
    TransactionDep,
    UploadedPicture,
    UserAgent,
    json_body,
)
from adsvc.api.errors import UPLOAD_REFUSALS, refusals
from adsvc.api.parameters import SessionIdPath
from adsvc.api.resources import ResourcesDep
from adsvc.changes import Kind
from adsvc.errors import (
    ContentTooLargeError,
    InvalidRequestError,
    OverloadedError,
    RateLimitedError,
    SessionNotFoundError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
    WrongPasswordError,
)
from adsvc.repositories import SessionRepository
from adsvc.schemas.auth import TokenPair
from adsvc.schemas.users import DeleteUser, NewPassword, Sessions, UpdateUser
from adsvc.schemas.users import Session as SessionRecord
from adsvc.schemas.users import User as UserRecord
from adsvc.services import audit, export, passwords, rate_limits, sessions, users

router = APIRouter(prefix="/users", tags=["users"])

JSON_REFUSALS = (
    InvalidRequestError,
    UnauthenticatedError,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
)
PASSWORD_REFUSALS = (*JSON_REFUSALS, WrongPasswordError, RateLimitedError, OverloadedError)


@router.get(
    "/me",
    operation_id="getMe",
    summary="The caller's profile",
    responses=refusals(UnauthenticatedError),
)
async def get_me(user: CurrentUser, resources: ResourcesDep, session: ReadSession) -> UserRecord:
    return await users.profile(session, resources.settings, user)


@router.patch(
    "/me",
    operation_id="updateMe",
    summary="Change the caller's profile",
    responses=refusals(*JSON_REFUSALS, RateLimitedError),
    openapi_extra=json_request(UpdateUser),
)
async def update_me(
    user: CurrentUser,
    resources: ResourcesDep,
    transaction: TransactionDep,
    _counted: CountedWrite,
    changes: Annotated[UpdateUser, Depends(json_body(UpdateUser))],
) -> UserRecord:
    """Members that are absent stay as they are."""
    updated = await users.update(transaction, user, changes)
    return await users.profile(transaction.session, resources.settings, updated)


@router.delete(
    "/me",
    operation_id="deleteMe",
    summary="Delete the caller's account",
    status_code=204,
    responses=refusals(*PASSWORD_REFUSALS),
    openapi_extra=json_request(DeleteUser),
)
async def delete_me(
    caller: CallerDep,
    user: CurrentUser,
    resources: ResourcesDep,
    address: ClientAddress,
    transaction: TransactionDep,
    confirmation: Annotated[DeleteUser, Depends(json_body(DeleteUser))],
) -> None:
    """The account, its ads, pictures, comments and sessions go at once and for good."""
    async with rate_limits.login_attempt(
        resources.database,
        resources.settings,
        username=user.username,
        address=address,
        session_id=caller.session_id,
    ):
        await users.delete(
            transaction,
            resources.database,
            resources.passwords,
            resources.store,
            user,
            confirmation.current_password,
        )


@router.patch(
    "/me/image",
    operation_id="replaceMyImage",
    summary="Replace the caller's avatar",
    responses=refusals(*UPLOAD_REFUSALS),
    openapi_extra=image_form(),
)
async def replace_my_image(
    user: CurrentUser,
    resources: ResourcesDep,
    transaction: TransactionDep,
    _counted: CountedUpload,
    picture: UploadedPicture,
) -> UserRecord:
    settings = resources.settings
    updated = await users.replace_image(transaction, settings, resources.store, user, picture)
    return await users.profile(transaction.session, settings, updated)


@router.get(
    "/me/export",
    operation_id="exportMe",
    summary="Everything held about the caller",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "One JSON document",
            "content": {"application/json": {"schema": {"type": "object"}}},
        },
        **refusals(UnauthenticatedError),
    },
)
async def export_me(user: CurrentUser, resources: ResourcesDep) -> StreamingResponse:
    """Profile, sessions, ads and comments, without the password's hash."""
    return StreamingResponse(
        export.export(resources.database, user),
        media_type="application/json",
        headers={
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="adsvc-export.json"',
        },
    )


@router.get(
    "/me/sessions",
    operation_id="listMySessions",
    summary="Where the caller is logged in",
    responses=refusals(UnauthenticatedError),
)
async def list_my_sessions(caller: CallerDep, _: CurrentUser, session: ReadSession) -> Sessions:
    """Last used first."""
    found = await SessionRepository(session).list_of_user(caller.user.id)
    results = [SessionRecord.model_validate(row) for row in found]
    for record in results:
        record.current = record.id == caller.session_id
    return Sessions(count=len(results), results=results)


@router.delete(
    "/me/sessions/{id}",
    operation_id="endMySession",
    summary="Log out there",
    status_code=204,
    responses=refusals(InvalidRequestError, UnauthenticatedError, SessionNotFoundError),
)
async def end_my_session(
    user: CurrentUser, session_id: SessionIdPath, transaction: TransactionDep
) -> None:
    """Its tokens stop working at once."""
    if not await SessionRepository(transaction.session).end(session_id, user.id):
        raise SessionNotFoundError
    transaction.announce(Kind.SESSION, session_id)
    audit.record(transaction, audit.Event.SESSION_ENDED, actor=user.id, target=session_id)


async def set_password(
    caller: CallerDep,
    user: CurrentUser,
    resources: ResourcesDep,
    address: ClientAddress,
    user_agent: UserAgent,
    response: Response,
    transaction: TransactionDep,
    change: Annotated[NewPassword, Depends(json_body(NewPassword))],
) -> TokenPair:
    """Every session of the user ends; the answer's tokens begin the only one left."""
    passwords.require_strength(
        change.new_password,
        "/newPassword",
        resources.settings,
        user.username,
        user.first_name,
        user.last_name,
    )
    async with rate_limits.login_attempt(
        resources.database,
        resources.settings,
        username=user.username,
        address=address,
        session_id=caller.session_id,
    ):
        await users.set_password(transaction, resources.database, resources.passwords, user, change)
    response.headers["Cache-Control"] = "no-store"
    return await sessions.begin(
        transaction,
        resources.tokens,
        resources.settings,
        user,
        user_agent=user_agent,
        address=address,
    )


# Both methods are in use among clients of this interface.
for method, operation_id in (("POST", "setPassword"), ("PATCH", "changePassword")):
    router.add_api_route(
        "/set_password",
        set_password,
        methods=[method],
        operation_id=operation_id,
        summary="Change the caller's password",
        responses=refusals(*PASSWORD_REFUSALS),
        openapi_extra=json_request(NewPassword),
    )
