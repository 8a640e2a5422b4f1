"""Opaque cursors of listings and of the log of events."""

import base64
import hashlib
import hmac
import json
from datetime import date

from adsvc.errors import CursorExpiredError, InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.db.statements import Row
from adsvc.repositories.ads.criteria import EPOCH, MILLISECOND, Key, KeyValue
from adsvc.repositories.events import LogPosition
from adsvc.schemas.events import Event
from adsvc.services import personal_stream
from adsvc.services.events import encoded
from adsvc.services.personal_stream import SearchPosition

SIGNATURE_BYTES = 12

# The longest cursor made here is well below this. It has what was changed in a long query.
CURSOR_MAX_LENGTH = 2048


# `json.dumps` would make one for each cursor.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Cursors:
    """Signed cursors. A cursor is valid for one listing, and only the service can make one.

    A cursor is base64url of a keyed BLAKE2b hash (RFC 7693 §2.9) and the sort key of the last row
    of a page, in JSON. All processes have the same secrets, which survive restarts: the first of
    them signs, all of them verify.
    """

    def __init__(self, *secrets: str) -> None:
        self._keys = [
            hashlib.sha256(b"adsvc cursors\0" + secret.encode()).digest() for secret in secrets
        ]

    def encode(self, listing: str, key: Key) -> str:
        # The payload is the JSON list without its brackets.
        payload = _ENCODER.encode(key)[1:-1].encode()
        signed = _signature(self._keys[0], listing, payload) + payload
        return base64.urlsafe_b64encode(signed).rstrip(b"=").decode()

    def decode(self, listing: str, cursor: str) -> Key:
        """The sort key.

        `CursorExpiredError` for a cursor not made for this listing or with this secret,
        `InvalidRequestError` for what is no cursor.
        """
        raw = b"" if len(cursor) > CURSOR_MAX_LENGTH else _bytes_of(cursor)
        signature, payload = raw[:SIGNATURE_BYTES], raw[SIGNATURE_BYTES:]
        key = _key_of(payload)
        if not key:
            raise InvalidRequestError(faults.unknown("is not a cursor").of("cursor"))
        expected = (_signature(own, listing, payload) for own in self._keys)
        if not any(hmac.compare_digest(signature, each) for each in expected):
            raise CursorExpiredError
        return key


def _signature(key: bytes, listing: str, payload: bytes) -> bytes:
    message = listing.encode() + b"\0" + payload
    return hashlib.blake2b(message, key=key, digest_size=SIGNATURE_BYTES).digest()


def _bytes_of(cursor: str) -> bytes:
    """Empty if it is not base64url."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True)
    except ValueError:
        return b""


def _key_of(payload: bytes) -> Key:
    """Empty if it is no sort key. No part of one is a list or a record, so none is nested."""
    try:
        key: list[KeyValue] = json.loads(f"[{payload.decode()}]")
    except (ValueError, RecursionError):
        return []
    return [] if any(isinstance(value, list | dict) for value in key) else key


# The listing that cursors of the log of events belong to.
EVENTS = "events"


def encode_event_cursor(cursors: Cursors, epoch: str, position: LogPosition) -> str:
    """Of an event, with what tells it from the one with its id in a restored log."""
    day = position.day.toordinal() if position.day else 0
    at = (position.at - EPOCH) // MILLISECOND if position.at else -1
    return cursors.encode(EVENTS, [epoch, position.id, day, at])


def decode_event_cursor(cursors: Cursors, cursor: str, name: str) -> tuple[str, LogPosition]:
    epoch, identifier, day, at = _decoded(cursors, EVENTS, cursor, name)
    return str(epoch), LogPosition(
        int(identifier),
        date.fromordinal(int(day)) if day else None,
        EPOCH + int(at) * MILLISECOND if int(at) >= 0 else None,
    )


def encoded_event(cursors: Cursors, row: Row, epoch: str) -> bytes:
    """As a stream has it."""
    cursor = encode_event_cursor(cursors, epoch, LogPosition.of(row))
    data = Event.model_validate(dict(row)).model_dump_json(by_alias=True)
    return encoded(row["type"], data, cursor)


def encode_personal_cursor(cursors: Cursors, user_id: int, cursor: personal_stream.Cursor) -> str:
    """Of ids that are remembered it has the differences, which are short."""
    positions = (cursor.messages, cursor.notifications)
    texts = (
        " ".join(map(str, (one.after, *(id_ - one.after for id_ in one.had)))) for one in positions
    )
    return cursors.encode(f"personal {user_id}", [cursor.epoch, *texts])


def decode_personal_cursor(
    cursors: Cursors, user_id: int, cursor: str, name: str
) -> personal_stream.Cursor:
    epoch, *texts = _decoded(cursors, f"personal {user_id}", cursor, name)
    messages, notifications = (_position(str(text)) for text in texts)
    return personal_stream.Cursor(str(epoch), messages, notifications)


def encode_search_cursor(cursors: Cursors, search_id: int, position: SearchPosition) -> str:
    return cursors.encode(f"search {search_id}", list(position))


def decode_search_cursor(
    cursors: Cursors, search_id: int, cursor: str, name: str
) -> SearchPosition:
    epoch, event_id, at = _decoded(cursors, f"search {search_id}", cursor, name)
    return SearchPosition(str(epoch), int(event_id), int(at))


def _position(text: str) -> personal_stream.Reached:
    after, *further = map(int, text.split())
    return personal_stream.Reached(after, tuple(after + one for one in further))


def _decoded(cursors: Cursors, listing: str, cursor: str, name: str) -> Key:
    try:
        return cursors.decode(listing, cursor)
    except InvalidRequestError as error:
        [fault] = error.faults
        raise InvalidRequestError(fault.of(name)) from None
