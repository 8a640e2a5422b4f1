"""The log of events, as a list and as a stream; the stream of what concerns the caller."""

from contextlib import ExitStack
from typing import Annotated, Any

from fastapi import Header, Request, Response
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.access import own_search
from adsvc.api.dependencies.calls import Call, authenticate, known_caller, suffices
from adsvc.api.dependencies.endpoints import IS_HEAD, Router
from adsvc.api.input.parameters import (
    QueryModel,
    decode_event_cursor,
    decode_personal_cursor,
    decode_search_cursor,
    encode_event_cursor,
    number_from,
)
from adsvc.api.openapi.responses import Responses
from adsvc.enums import Feature, KeyScope, Role
from adsvc.kit.http.messages import STREAM
from adsvc.schemas.events import Event, Events, EventTypeName
from adsvc.schemas.following import SearchAds
from adsvc.services.events import IsAllowed, Stream
from adsvc.services.personal_stream import SearchPosition


class StreamResponse(StreamingResponse):
    def __init__(self, stream: Stream, ending: ExitStack) -> None:
        """`ending` is closed with the response."""
        super().__init__(
            stream.chunks(),
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
            elif bound_buffer := scope.get("extensions", {}).get(STREAM):
                bound_buffer()
            await super().__call__(scope, receive, send)


router = Router("/events", tag="events", requires=KeyScope.EVENTS_READ, role=Role.ADMIN)
personal_router = Router("/users/me", tag="users")

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


After = Annotated[
    str | SkipJsonSchema[None],
    Field(
        description="Where to go on: `next` of a list, or the `id` of a stream.",
        examples=["bm90IGEgY3Vyc29y"],
    ),
]


class StreamQuery(QueryModel):
    gathers = True
    has_cursor = True

    type: Types
    after: After = None


def _number_within(low: int, high: int, default: int, example: int) -> Any:  # noqa: ANN401 - as pydantic's own Field
    described: dict[str, Any] = {
        "type": "integer",
        "minimum": low,
        "maximum": high,
        "default": default,
    }
    return Field(json_schema_extra=described, examples=[example])


class EventsQuery(StreamQuery):
    limit: Annotated[
        str | SkipJsonSchema[None], _number_within(1, MOST_EVENTS, MOST_EVENTS, 100)
    ] = None
    """The most events."""
    wait: Annotated[str | SkipJsonSchema[None], _number_within(0, MOST_SECONDS, 0, 20)] = None
    """How many seconds to wait for an event if there is none."""


@router.get(
    "",
    summary="Read the log of events",
    query=EventsQuery,
    caching=None,
)
async def list_events(call: Call[None]) -> Events:
    """Returns what happened, in the order of commits: each event once, without gaps.

    Without `after` it begins with the oldest event that is kept. An answer may have fewer events
    than there are, and even none: `next` says where to go on. Administrators may.
    """
    state, query = call.state, call.query
    gathering = errors.Gathering(query.faults)
    limit = gathering.attempt(lambda: _number(query.limit, "limit", 1, MOST_EVENTS, MOST_EVENTS))
    wait = gathering.attempt(lambda: _number(query.wait, "wait", 0, MOST_SECONDS, 0))
    after = gathering.attempt(
        lambda: decode_event_cursor(state.cursors, query.after, "after") if query.after else None
    )
    gathering.refuse()
    rows, epoch, position = await state.events.page(
        after, query.type or None, limit or MOST_EVENTS, wait or 0
    )
    call.headers["Cache-Control"] = "no-store"
    return Events(
        results=[Event.model_validate(dict(row)) for row in rows],
        next=encode_event_cursor(state.cursors, epoch, position),
    )


def _number(text: str | None, name: str, low: int, high: int, default: int) -> int:
    return default if text is None else number_from(text, name, low, high)


def _streamed(description: str, example: str) -> Responses:
    return {
        200: {
            "description": description,
            "content": {
                "text/event-stream": {
                    "schema": {"type": "string"},
                    "examples": {"Event": {"value": example}},
                }
            },
        }
    }


LastEventId = Annotated[
    str | SkipJsonSchema[None],
    Header(
        alias="Last-Event-ID",
        description="Where to go on, as browsers send it by themselves.",
        examples=["bm90IGEgY3Vyc29y"],
    ),
]


@router.get(
    "/stream",
    summary="Follow the log of events",
    query=StreamQuery,
    headers={"last_event_id": (LastEventId, None)},
    caching=None,
    response_class=Response,
    responses=_streamed(
        "Server-sent events: `id` is a cursor, `event` the type, and `data` the `Event` as JSON.",
        'id: bm90IGEgY3Vyc29y\nevent: ad.sold\ndata: {"id": 4711}\n\n',
    ),
    refused_with=(errors.TooManyStreamsError, errors.OverloadedError),
)
async def stream_events(call: Call[None]) -> Response:
    """Sends events as they happen (`text/event-stream`), and a comment after 15 s without any.

    It begins behind the event of the header `Last-Event-ID`, or of `after`; otherwise now. It ends
    with the credentials, when the process ends, and when the client is too slow: connect again with
    the last id. How many streams an account may have at a process depends on its plan.
    Administrators may.
    """
    state, query = call.state, call.query
    gathering = errors.Gathering(query.faults)
    cursor, name = _cursor(query.after, call.request)
    after = gathering.attempt(
        lambda: decode_event_cursor(state.cursors, cursor, name) if cursor else None
    )
    gathering.refuse()
    is_allowed = _allowing(state, call.request, KeyScope.EVENTS_READ, role=Role.ADMIN)
    most = call.settings.limits_of(call.caller.plan).streams
    opened = await state.events.stream(
        call.caller.user_id, is_allowed, query.type or None, after, most=most
    )
    return StreamResponse(*opened)


class PersonalQuery(QueryModel):
    gathers = True
    has_cursor = True

    after: After = None


@personal_router.get(
    "/stream",
    summary="Follow what concerns the caller",
    requires=KeyScope.MESSAGES_READ,
    query=PersonalQuery,
    headers={"last_event_id": (LastEventId, None)},
    caching=None,
    response_class=Response,
    responses=_streamed(
        "Server-sent events. `id` is a cursor. `event` is `unread`, with how many of the caller's "
        "`messages` and `notifications` are unread in `data`; `message`, with a `Message`, or "
        "`offer`, with one that is about an offer; `read`, when the other party of `conversation` "
        "has read up to the message `readUpTo`; or `notification`, with a `Notification`, and "
        "`update: true` in it if one has gathered more.",
        'id: bm90IGEgY3Vyc29y\nevent: unread\ndata: {"messages": 1, "notifications": 2}\n\n',
    ),
    refused_with=(errors.TooManyStreamsError, errors.OverloadedError),
)
async def stream_my_events(call: Call[None]) -> Response:
    """Sends the messages of the caller's conversations and its notifications as they come, and a
    comment after 15 s without any.

    The first event is `unread`, which comes again whenever it has changed. The others begin behind
    that of the header `Last-Event-ID`, or of `after`; otherwise now. The caller's own messages are
    among them, as other devices of the account show them too. What the other party reads while the
    stream is not open is in the conversation alone. A key without `account:read` gets no
    notifications, and their number is 0. It ends as the stream of the log does. How many streams of
    both kinds an account may have at a process depends on its plan.
    """
    state, query, user_id = call.state, call.query, call.caller.user_id
    gathering = errors.Gathering(query.faults)
    cursor, name = _cursor(query.after, call.request)
    after = gathering.attempt(
        lambda: decode_personal_cursor(state.cursors, user_id, cursor, name) if cursor else None
    )
    gathering.refuse()
    is_allowed = _allowing(state, call.request, KeyScope.MESSAGES_READ)
    opened = await state.personal.stream(
        user_id,
        is_allowed,
        after,
        has_notifications=suffices(call.caller, KeyScope.ACCOUNT_READ),
        most=call.settings.limits_of(call.caller.plan).streams,
    )
    return StreamResponse(*opened)


MOST_MATCHES = 100


class MatchesQuery(PersonalQuery):
    limit: Annotated[
        str | SkipJsonSchema[None], _number_within(1, MOST_MATCHES, MOST_MATCHES, 50)
    ] = None
    """The most ads."""


@personal_router.get(
    "/searches/{id}/ads",
    summary="Read the matches of a saved search",
    features=(Feature.SEARCHES,),
    requires=KeyScope.ACCOUNT_READ,
    own_list=True,
    query=MatchesQuery,
    caching=None,
    access=own_search,
    response_model=SearchAds,
)
async def list_search_ads(call: Call[None], search_id: int) -> Response:
    """Returns ads that came to match the saved search, in that order, without gaps. An ad that was
    changed or shown again, and matches anew, comes again.

    Without `after` it begins with the oldest match that is kept (90 days). An answer may have fewer
    ads than there are, and even none: `next` says where to go on. Matches are found within a second
    after a change, whatever `notify` says.
    """
    state, query = call.state, call.query
    gathering = errors.Gathering(query.faults)
    limit = gathering.attempt(lambda: _number(query.limit, "limit", 1, MOST_MATCHES, MOST_MATCHES))
    after = gathering.attempt(lambda: _search_position(state, search_id, query.after, "after"))
    gathering.refuse()
    feed = state.search_feed
    position = await feed.begin(after, 0)
    rows, position = await feed.read(
        call.caller.user_id, search_id, position, limit or MOST_MATCHES
    )
    results, cursor = ",".join(record for _, record in rows), feed.encode(search_id, position)
    content = f'{{"results":[{results}],"next":"{cursor}"}}'
    return Response(content, 200, {"Cache-Control": "no-store"}, "application/json")


@personal_router.get(
    "/searches/{id}/ads/stream",
    summary="Follow the matches of a saved search",
    features=(Feature.SEARCHES,),
    requires=KeyScope.ACCOUNT_READ,
    query=PersonalQuery,
    headers={"last_event_id": (LastEventId, None)},
    caching=None,
    access=own_search,
    response_class=Response,
    responses=_streamed(
        "Server-sent events: `id` is a cursor, `event` is `ad`, and `data` the `Ad` as JSON.",
        'id: bm90IGEgY3Vyc29y\nevent: ad\ndata: {"pk": 42}\n\n',
    ),
    refused_with=(errors.TooManyStreamsError, errors.OverloadedError),
)
async def stream_search_ads(call: Call[None], search_id: int) -> Response:
    """Sends ads as they come to match the saved search, and a comment after 15 s without any.

    It begins behind the header `Last-Event-ID`, or `after`, which may also be `next` of the list;
    otherwise now. It ends as the stream of the log does, and with the search. It counts as one of
    the streams that the account may have at a process.
    """
    state, query, user_id = call.state, call.query, call.caller.user_id
    gathering = errors.Gathering(query.faults)
    cursor, name = _cursor(query.after, call.request)
    after = gathering.attempt(lambda: _search_position(state, search_id, cursor, name))
    gathering.refuse()
    is_allowed = _allowing(state, call.request, KeyScope.ACCOUNT_READ)
    most = call.settings.limits_of(call.caller.plan).streams
    opened = await state.search_feed.stream(user_id, is_allowed, search_id, after, most=most)
    return StreamResponse(*opened)


def _search_position(
    state: AppState, search_id: int, cursor: str | None, name: str
) -> SearchPosition | None:
    return decode_search_cursor(state.cursors, search_id, cursor, name) if cursor else None


def _cursor(after: str | None, request: Request) -> tuple[str | None, str]:
    """The cursor, and what it came in."""
    last_event_id = request.headers.get("last-event-id")
    return (last_event_id, "Last-Event-ID") if last_event_id else (after, "after")


def _allowing(
    state: AppState, request: Request, scope: KeyScope, role: Role | None = None
) -> IsAllowed:
    """Whether the credentials of the request are still good for that scope, and for that role."""
    authorization = request.headers.get("authorization", "")
    where: Scope = {"state": {}, "client": request.scope.get("client")}

    async def is_allowed() -> bool:
        try:
            known = known_caller(state, authorization)
            caller = await authenticate(state, where, authorization, scope, known=known)
        except errors.UnavailableError:
            raise
        except errors.RefusalError:
            return False
        return caller.is_admin or role is not Role.ADMIN

    return is_allowed
