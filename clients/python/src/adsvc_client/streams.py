"""Streams of events (HTML, "Server-sent events") that go on after their connection has ended."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import httpx2

from ._generated import operations
from ._generated.models import Ad, Event, EventType, Message, Notification
from ._generated.types import UNSET, Unset
from .errors import UnexpectedAnswerError
from .operation import Operation

T = TypeVar("T")
JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class StreamedEvent(Generic[T]):
    cursor: str
    """Send it as `after` to go on behind this event."""
    type: str
    data: T
    update: bool = False
    """Whether it is a notification that has gathered more."""


@dataclass(frozen=True)
class Unread:
    """How many things of the caller are unread."""

    messages: int
    notifications: int


@dataclass(frozen=True)
class MessagesRead:
    """How far the other party of a conversation has read."""

    conversation: int
    read_up_to: int


PersonalData: TypeAlias = Unread | Message | MessagesRead | Notification


class Following(Generic[T]):
    """Where a stream is, whatever becomes of its connections."""

    def __init__(
        self,
        begin: Callable[[str | Unset], Operation[httpx2.Response]],
        parse: Callable[[str, JsonObject], T],
        after: str | None,
    ) -> None:
        self._begin = begin
        self._parse = parse
        self._after = after
        self._fields: dict[str, str] = {}

    @property
    def operation(self) -> Operation[httpx2.Response]:
        """What the next connection is for."""
        self._fields = {}
        return self._begin(UNSET if self._after is None else self._after)

    def take(self, line: str) -> StreamedEvent[T] | None:
        """The event that ends with this line. The service sends the fields of each once."""
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        try:
            cursor = fields["id"]
            kind, data = fields["event"], json.loads(fields["data"])
            update = data.pop("update", False)
            event = StreamedEvent(cursor, kind, self._parse(kind, data), update)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnexpectedAnswerError("an event of a stream") from error
        self._after = cursor
        return event


def log_of_events(type_: list[EventType] | Unset, after: str | None) -> Following[Event]:
    return Following(
        lambda cursor: operations.stream_events(type_=type_, after=cursor),
        lambda _, data: Event.from_dict(data),
        after,
    )


def matches_of_search(search_id: int, after: str | None) -> Following[Ad]:
    return Following(
        lambda cursor: operations.stream_search_ads(search_id, after=cursor),
        lambda _, data: Ad.from_dict(data),
        after,
    )


def own_events(after: str | None) -> Following[PersonalData]:
    return Following(
        lambda cursor: operations.stream_my_events(after=cursor), _personal_data, after
    )


def _personal_data(kind: str, data: JsonObject) -> PersonalData:
    match kind:
        case "unread":
            return Unread(data["messages"], data["notifications"])
        case "read":
            return MessagesRead(data["conversation"], data["readUpTo"])
        case "notification":
            return Notification.from_dict(data)
        case _:
            return Message.from_dict(data)
