from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Call
from adsvc.api.dependencies.caller import SESSION
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import SessionIdPath
from adsvc.errors import SessionNotFoundError
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.schemas.users import Session as SessionRecord
from adsvc.schemas.users import Sessions
from adsvc.services.accounts import sessions

router = APIRouter(prefix="/users/me/sessions", tags=["users"])


@Endpoint(
    router,
    "GET",
    "",
    summary="List where the caller is logged in",
    requires=SESSION,
)
async def list_my_sessions(call: Call[None]) -> Sessions:
    """Returns all sessions of the caller's account, the most recently used first."""
    async with call.database.autocommit() as session:
        found = await session_rows.list_of_user(session, call.caller.user_id)
    results = [SessionRecord.model_validate(row) for row in found]
    for record in results:
        record.current = record.id == call.caller.session_id
    return Sessions(count=len(results), results=results)


@Endpoint(
    router,
    "DELETE",
    "/{id}",
    summary="Log out one session",
    requires=SESSION,
    status=204,
    limit=None,
    refused_with=(SessionNotFoundError,),
)
async def end_my_session(call: Call[None], session_id: SessionIdPath) -> None:
    """Ends one session of the caller's account. Its tokens stop working at once."""
    await sessions.end(call.transaction, call.user, session_id)
