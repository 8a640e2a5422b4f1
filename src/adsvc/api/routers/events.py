"""The log of events, as a list and as a stream."""

from contextlib import ExitStack
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.cursors import decode_event_cursor, encode_event_cursor
from adsvc.api.dependencies.caller import Administrator, authenticate, known_caller, requires
from adsvc.api.input.parameters import QueryModel, number_from
from adsvc.api.middleware import IS_HEAD
from adsvc.api.openapi.responses import Responses
from adsvc.api.problems.documentation import refusals
from adsvc.bulkheads.admission import idle
from adsvc.enums import KeyScope
from adsvc.errors import (
    CursorExpiredError,
    ForbiddenError,
    Gathering,
    InvalidRequestError,
    TooManyStreamsError,
    UnauthenticatedError,
)
from adsvc.repositories.events import LogPosition
from adsvc.schemas.events import Event, Events, EventTypeName
from adsvc.services.events import EventStream


class EventResponse(StreamingResponse):
    def __init__(
        self, stream: EventStream, position: LogPosition | None, ending: ExitStack
    ) -> None:
        """`ending` is closed with the response."""
        super().__init__(
            stream.chunks(position),
            media_type="text/event-stream",
            # nginx passes it on as it comes.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )
        self._stream = stream
        self._ending = ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._ending:
            if IS_HEAD in scope:
                self._stream.end()
            await super().__call__(scope, receive, send)


router = APIRouter(prefix="/events", tags=["events"])

MOST_EVENTS = 1000
MOST_SECONDS = 25


Types = Annotated[
    list[EventTypeName],
    Field(
        default_factory=list,
        description="Only events of this type; may come several times. All without it.",
        examples=[["ad.created", "ad.sold"]],
    ),
]


class StreamQuery(QueryModel):
    type: Types
    after: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="Where to go on: `next` of a list, or the `id` of a stream.",
            examples=["bm90IGEgY3Vyc29y"],
        ),
    ] = None


class EventsQuery(StreamQuery):
    limit: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="The most events.",
            json_schema_extra={
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_EVENTS,
                "default": MOST_EVENTS,
            },
            examples=[100],
        ),
    ] = None
    wait: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="How many seconds to wait for an event if there is none.",
            json_schema_extra={
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_SECONDS,
                "default": 0,
            },
            examples=[20],
        ),
    ] = None


READ_REFUSALS = (InvalidRequestError, UnauthenticatedError, ForbiddenError, CursorExpiredError)


@router.get(
    "",
    operation_id="listEvents",
    summary="Read the log of events",
    dependencies=[requires(KeyScope.EVENTS_READ)],
    response_model=Events,
    responses=refusals(*READ_REFUSALS),
)
async def list_events(
    _: Administrator, state: AppStateDep, query: Annotated[EventsQuery, Query()]
) -> Response:
    """Returns what happened, in the order of commits: each event once, without gaps.

    Without `after` it begins with the oldest event that is kept. An answer may have fewer events
    than there are, and even none: `next` says where to go on. Administrators may.
    """
    gathering = Gathering(query.faults)
    limit = gathering.attempt(lambda: _number(query.limit, "limit", 1, MOST_EVENTS, MOST_EVENTS))
    wait = gathering.attempt(lambda: _number(query.wait, "wait", 0, MOST_SECONDS, 0))
    after = gathering.attempt(
        lambda: decode_event_cursor(state.cursors, query.after, "after") if query.after else None
    )
    gathering.refuse()
    # A request that waits takes no place of those that are served.
    with idle.get()():
        rows, epoch, position = await state.events.page(
            after, query.type or None, limit or MOST_EVENTS, wait or 0
        )
    events = Events(
        results=[Event.model_validate(dict(row)) for row in rows],
        next=encode_event_cursor(state.cursors, epoch, position),
    )
    return Response(
        events.model_dump_json(by_alias=True),
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def _number(text: str | None, name: str, low: int, high: int, default: int) -> int:
    return default if text is None else number_from(text, name, low, high)


STREAMED: Responses = {
    200: {
        "description": "Server-sent events: `id` is a cursor, `event` the type, and `data` the "
        "`Event` as JSON.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "examples": {
                    "Event": {
                        "value": 'id: bm90IGEgY3Vyc29y\nevent: ad.sold\ndata: {"id": 4711}\n\n'
                    }
                },
            }
        },
    }
}


@router.get(
    "/stream",
    operation_id="streamEvents",
    summary="Follow the log of events",
    dependencies=[requires(KeyScope.EVENTS_READ)],
    response_class=Response,
    responses=STREAMED | refusals(*READ_REFUSALS, TooManyStreamsError),
)
async def stream_events(
    request: Request,
    caller: Administrator,
    state: AppStateDep,
    query: Annotated[StreamQuery, Query()],
    last_event_id: Annotated[
        str | SkipJsonSchema[None],
        Header(
            alias="Last-Event-ID",
            description="Where to go on, as browsers send it by themselves.",
            examples=["bm90IGEgY3Vyc29y"],
        ),
    ] = None,
) -> Response:
    """Sends events as they happen (`text/event-stream`), and a comment after 15 s without any.

    It begins behind the event of the header `Last-Event-ID`, or of `after`; otherwise now. It ends
    with the credentials, when the process ends, and when the client is too slow: connect again with
    the last id. At most 4 streams of an account at a process. Administrators may.
    """
    gathering = Gathering(query.faults)
    cursor, name = (last_event_id, "Last-Event-ID") if last_event_id else (query.after, "after")
    after = gathering.attempt(
        lambda: decode_event_cursor(state.cursors, cursor, name) if cursor else None
    )
    gathering.refuse()
    with idle.get()():
        position = await state.events.start(after)
    authorization = request.headers.get("authorization", "")
    streaming = state.events.stream(
        caller.id, query.type or None, lambda: _is_allowed(state, request.scope, authorization)
    )
    # Refused before the response begins.
    ending = ExitStack()
    stream = ending.enter_context(streaming)
    return EventResponse(stream, position, ending)


async def _is_allowed(state: AppState, scope: Scope, authorization: str) -> bool:
    try:
        known = known_caller(state, authorization)
        caller = await authenticate(state, scope, authorization, KeyScope.EVENTS_READ, known=known)
    except UnauthenticatedError:
        return False
    return caller.is_admin
