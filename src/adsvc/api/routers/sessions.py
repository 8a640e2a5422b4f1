from fastapi import APIRouter, Request, Response

from adsvc.api.caching import json_response
from adsvc.api.dependencies.access import ReadSession
from adsvc.api.dependencies.bodies import Write
from adsvc.api.dependencies.caller import SESSION, CallerDep, requires
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import SessionIdPath
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import SessionNotFoundError, UnauthenticatedError
from adsvc.http.responses import PRIVATE
from adsvc.repositories import SessionRepository
from adsvc.schemas.users import Session as SessionRecord
from adsvc.schemas.users import Sessions
from adsvc.services.accounts import sessions

router = APIRouter(prefix="/users/me/sessions", tags=["users"])


@router.get(
    "",
    operation_id="listMySessions",
    summary="List where the caller is logged in",
    dependencies=[requires(SESSION)],
    response_model=Sessions,
    responses=answer_responses() | refusals(UnauthenticatedError),
)
async def list_my_sessions(request: Request, caller: CallerDep, session: ReadSession) -> Response:
    """Returns all sessions of the caller's account, the most recently used first."""
    found = await SessionRepository(session).list_of_user(caller.user.id)
    results = [SessionRecord.model_validate(row) for row in found]
    for record in results:
        record.current = record.id == caller.session_id
    listed = Sessions(count=len(results), results=results)
    return json_response(listed.model_dump_json(by_alias=True).encode(), PRIVATE).to(request)


@Operation(
    router,
    "DELETE",
    "/{id}",
    operation_id="endMySession",
    summary="Log out one session",
    requires=SESSION,
    status=204,
    limit=None,
    refused_with=(SessionNotFoundError,),
)
async def end_my_session(write: Write[None], session_id: SessionIdPath) -> None:
    """Ends one session of the caller's account. Its tokens stop working at once."""
    await sessions.end(write.transaction, write.user, session_id)
