"""Parameters of paths and queries: ids, numbers, `validate`, unknown ones, pages and cursors."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple, Self, get_origin
from urllib.parse import parse_qsl, urlencode

from fastapi import params
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
    ModelWrapValidatorHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.types import Scope

from adsvc.errors import CursorExpiredError, Gathering, InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.db.statements import Row
from adsvc.kit.faults import Fault
from adsvc.kit.http.messages import MOST_UNKNOWN_NAMED, prefers_strict
from adsvc.kit.records import parameter_faults, pattern_fault, refused
from adsvc.repositories.ads.criteria import EPOCH, MILLISECOND, Key, KeyValue
from adsvc.repositories.events import LogPosition
from adsvc.schemas.base import EXTERNAL_ID_MAX_LENGTH, PLACEHOLDER, external_id_of
from adsvc.schemas.categories import SLUG
from adsvc.schemas.events import Event
from adsvc.schemas.identities import PROVIDER
from adsvc.services import personal_stream
from adsvc.services.events import encoded
from adsvc.services.personal_stream import SearchPosition
from adsvc.settings import Settings

VALIDATE = "validate"

LARGEST_ID = 2**63 - 1

# The OpenAPI document has this bound instead, which JavaScript reads exactly.
LARGEST_SAFE_INTEGER = 2**53 - 1

DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")

# A whole number, even if it is out of range.
WHOLE = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """Marks an `int` of a query, in decimals, from `minimum` to `maximum`.

    Python's `int` accepts more than the interface does: signs, spaces, underscores, leading zeros.
    """

    minimum: int
    maximum: int

    def read(self, value: object) -> int:
        found = _number(str(value), self.minimum, self.maximum)
        if isinstance(found, Fault):
            raise refused(found)
        return found

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "integer", "maximum": self.maximum, "minimum": self.minimum}


def number_from(text: str, name: str, minimum: int, maximum: int) -> int:
    """The value of a parameter; `name` is for the fault."""
    found = _number(text, minimum, maximum)
    if isinstance(found, Fault):
        raise InvalidRequestError(found.of(name))
    return found


def _number(text: str, minimum: int, maximum: int) -> int | Fault:
    if DECIMAL.fullmatch(text) and minimum <= (number := int(text)) <= maximum:
        return number
    fault = faults.out_of_range(minimum, maximum)
    if WHOLE.fullmatch(text):
        return fault
    return faults.wrong_type("integer", fault.detail, minimum=minimum, maximum=maximum)


class Validation(NamedTuple):
    """The parameter `validate`: whether the request is a dry run, and the parameter's faults."""

    only: bool = False
    faults: Sequence[Fault] = ()


def validation_of(scope: Scope) -> Validation:
    query: bytes = scope["query_string"]
    if not query:
        return Validation()
    # Of a parameter sent twice the last one counts.
    value = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)).get(VALIDATE, "false")
    if value not in {"true", "false"}:
        return Validation(faults=(faults.wrong_type("boolean").of(VALIDATE),))
    return Validation(only=value == "true")


def refuse_unknown_parameters(scope: Scope, known: Collection[str]) -> None:
    """If the client prefers strictness; otherwise unknown parameters are ignored."""
    if not scope["query_string"] or not prefers_strict(scope["headers"]):
        return
    sent = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    refuse_unknown(dict(sent), known)


def refuse_unknown(sent: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in sent if name not in known]
    if unknown:
        fault = faults.unknown("is not a parameter of this operation")
        raise InvalidRequestError(*(fault.of(name) for name in unknown[:MOST_UNKNOWN_NAMED]))


class QueryModel(BaseModel):
    """The parameters of a query. Their faults are collected in `faults`.

    A parameter at fault counts as absent, so that the others are validated too. A method that uses
    the query raises all faults together.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    # Set on an instance that has some. Pydantic would look up a private attribute each time.
    faults: ClassVar[Sequence[Fault]] = ()
    # Whether the function that gets the query raises its faults, together with others.
    gathers: ClassVar[bool] = False
    # Whether a parameter is a cursor, which may be valid no more.
    has_cursor: ClassVar[bool] = False
    # Parameters that may be sent several times. Of others the last one counts.
    repeatable: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - as Pydantic has it
        super().__pydantic_init_subclass__(**options)
        cls.repeatable = frozenset(
            of.alias or name
            for name, of in cls.model_fields.items()
            if get_origin(of.annotation) is list
        )

    @classmethod
    def of(cls, scope: Scope) -> Self:
        """The query of a request. Raises its faults unless it `gathers` them."""
        query = cls.from_pairs(pairs_of(scope["query_string"]))
        if query.faults and not cls.gathers:
            raise InvalidRequestError(*query.faults)
        return query

    @classmethod
    def from_pairs(cls, pairs: "Pairs") -> Self:
        values: dict[str, str | list[str]] = dict(pairs)
        for name in cls.repeatable & values.keys():
            values[name] = [value for key, value in pairs if key == name]
        return cls.model_validate(values)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_faults(cls, sent: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - as Pydantic has it
        try:
            return handler(sent)
        except ValidationError as error:
            found = parameter_faults(error.errors(include_url=False))
        at_fault = {fault.parameter for fault in found}
        # One that is required has the value of its example, which is not used.
        instead = {
            name: field.examples[0]
            for name, field in cls.model_fields.items()
            if name in at_fault and field.is_required() and field.examples
        }
        valid = {name: value for name, value in sent.items() if name not in at_fault}
        query = handler(valid | instead)
        query.__dict__["faults"] = found
        return query


class AdIdConvertor(StringConvertor):
    """Any segment but those that are paths of their own."""

    regex = "(?!(?:me|facets|map|suggest|drafts|by-external-id)(?:/|$))[^/]+"


class UserIdConvertor(StringConvertor):
    """Any segment but those that are paths of their own."""

    regex = "(?!(?:me|set_password)(?:/|$))[^/]+"


register_url_convertor("ad_id", AdIdConvertor())
register_url_convertor("user_id", UserIdConvertor())


def id_from(value: str, name: str) -> int:
    return number_from(value, name, 1, LARGEST_ID)


RANGE: dict[str, JsonValue] = {"minimum": 1, "maximum": LARGEST_SAFE_INTEGER}


class PathParameter(params.Path):  # type: ignore[misc]  # as FastAPI extends it
    """A parameter of the path, which `convert` reads."""

    def __init__(self, convert: Callable[[str], Any], **described: Any) -> None:  # noqa: ANN401 - as FastAPI's own
        super().__init__(**described)
        self.convert = convert


def id_path(name: str, description: str, example: int) -> PathParameter:
    return PathParameter(
        partial(id_from, name=name),
        alias=name,
        description=description,
        examples=[example],
        json_schema_extra=RANGE,
    )


def ad_id_of(scope: Scope, route: str | None) -> int | None:
    """The ad in the path of a request, if it is an id that an ad can have."""
    if route is None or not route.startswith(("/ads/{id}", "/a/{id}")):
        return None
    # A page has the title of the ad behind its id.
    text = str(scope.get("path_params", {}).get("id", "")).partition("-")[0]
    return int(text) if DECIMAL.fullmatch(text) and 1 <= int(text) <= LARGEST_ID else None


AdIdPath = Annotated[int, id_path("id", "The ad's id.", 42)]
FavoriteIdPath = Annotated[int, id_path("adId", "The ad's id.", 42)]
CommentIdPath = Annotated[int, id_path("commentId", "The comment's id.", 9)]
ImageIdPath = Annotated[int, id_path("imageId", "The picture's id.", 17)]


def _matching(value: str, *, name: str, pattern: str) -> str:
    if not re.fullmatch(pattern, value):
        raise InvalidRequestError(pattern_fault(f"^{pattern}$").of(name))
    return value


def pattern_path(name: str, pattern: str, description: str, example: str) -> PathParameter:
    return PathParameter(
        partial(_matching, name=name, pattern=pattern),
        alias=name,
        description=description,
        examples=[example],
        json_schema_extra={"pattern": f"^{pattern}$"},
    )


SlugPath = Annotated[str, pattern_path("slug", SLUG, "The category's slug.", "furniture")]
PageSlugPath = Annotated[str, pattern_path("slug", SLUG, "The page's slug.", "imprint")]
ProviderIdPath = Annotated[str, pattern_path("id", PROVIDER, "The provider's id.", "example")]


def _external_id(value: str) -> str:
    try:
        return external_id_of(value)
    except PydanticCustomError as error:
        fault: Fault = (error.context or {})["fault"]
        raise InvalidRequestError(fault.of("externalId")) from None


ExternalIdPath = Annotated[
    str,
    PathParameter(
        _external_id,
        alias="externalId",
        description="The ad's id in the caller's own system.",
        examples=["SKU-1047"],
        json_schema_extra={"minLength": 1, "maxLength": EXTERNAL_ID_MAX_LENGTH},
    ),
]

CaseIdPath = Annotated[int, id_path("id", "The case's id.", 2)]
DecisionIdPath = Annotated[int, id_path("id", "The decision's id.", 5)]
UserIdPath = Annotated[int, id_path("id", "The account's id.", 7)]
ConversationIdPath = Annotated[int, id_path("id", "The conversation's id.", 31)]
MessageIdPath = Annotated[int, id_path("messageId", "The message's id.", 512)]
DealIdPath = Annotated[int, id_path("dealId", "The deal's id.", 12)]
RatingIdPath = Annotated[int, id_path("id", "The rating's id.", 14)]
OfferIdPath = Annotated[int, id_path("id", "The offer's id.", 8)]
OtherUserIdPath = Annotated[int, id_path("userId", "The id of the other account.", 7)]
SearchIdPath = Annotated[int, id_path("id", "The search's id.", 8)]
ImportIdPath = Annotated[int, id_path("id", "The import's id.", 12)]
WebhookIdPath = Annotated[int, id_path("id", "The webhook's id.", 3)]
DeliveryIdPath = Annotated[int, id_path("deliveryId", "The delivery's id.", 12)]
KeyIdPath = Annotated[int, id_path("id", "The key's id.", 4)]
PushIdPath = Annotated[int, id_path("id", "The browser's id.", 6)]
IdentityIdPath = Annotated[int, id_path("id", "The identity's id.", 2)]
PasskeyIdPath = Annotated[int, id_path("id", "The passkey's id.", 5)]
SiteChangeIdPath = Annotated[int, id_path("id", "The change's id.", 3)]
InvitationIdPath = Annotated[int, id_path("id", "The invitation's id.", 4)]
DeletionIdPath = Annotated[int, id_path("id", "The deletion's id.", 11)]
EntryIdPath = Annotated[int, id_path("id", "The entry's id.", 23)]
SessionIdPath = Annotated[int, id_path("id", "The session's id.", 3)]


Pairs = list[tuple[str, str]]


def pairs_of(query: bytes) -> Pairs:
    """As `starlette.requests.Request.query_params` reads them."""
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True)


class PageLimits(NamedTuple):
    """Those of the settings that pages of lists and searches have."""

    page_size_default: int
    page_size_max: int
    search_page_size_max: int
    search_words_max: int

    @classmethod
    def of(cls, settings: Settings) -> "PageLimits":
        return cls(
            settings.page_size_default,
            settings.page_size_max,
            settings.search_page_size_max,
            settings.search_words_max,
        )


class PageQuery(QueryModel):
    gathers = True
    has_cursor = True

    limit: Annotated[
        Annotated[str, WithJsonSchema({"type": "integer"})] | SkipJsonSchema[None],
        Field(json_schema_extra={PLACEHOLDER: "page_size"}, examples=[20]),
    ] = None
    """The most records on the page."""
    cursor: str | SkipJsonSchema[None] = None
    """Where the page begins: `next` of the page before."""

    @property
    def filters(self) -> Pairs:
        """The parameters of this list alone that are set."""
        found: Pairs = []
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if name not in PageQuery.model_fields and value is not None and value is not False:
                found.append((field.alias or name, "true" if value is True else str(value)))
        return found

    def size(self, limits: Settings | PageLimits, most: int | None = None) -> int:
        """The number of records; `most` is the largest. Raises all faults of the query at once."""
        most = min(most or limits.page_size_max, limits.page_size_max)
        if not self.faults:
            return self._size(limits.page_size_default, most)
        gathering = Gathering(self.faults)
        gathering.attempt(lambda: self._size(limits.page_size_default, most))
        raise InvalidRequestError(*gathering.faults)

    def _size(self, default: int, most: int) -> int:
        if self.limit is None:
            return min(most, default)
        return number_from(self.limit, "limit", 1, most)


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


@dataclass(frozen=True, slots=True)
class PageRequest:
    """`filters` are the parameters that `Link` repeats.

    It repeats nothing else of the query: a client could make the header longer than a proxy's
    buffer.
    """

    limit: int
    # The sort key of the last row before the page; None for the first page.
    start: Key | None
    _listing: str
    _cursors: Cursors
    _path: str
    _filters: Pairs
    # What the cursors of further pages have before the sort key.
    carried: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        limit: int,
        cursor: str | None,
        listing: str,
        cursors: Cursors,
        path: str,
        filters: Pairs,
    ) -> Self:
        """`listing` is the name that its cursors belong to. Raises as `Cursors.decode`."""
        start = None if cursor is None else cursors.decode(listing, cursor)
        return cls(limit, start, listing, cursors, path, filters)

    @property
    def before(self) -> int | None:
        """`start` of a list that is sorted by one number."""
        return None if self.start is None else int(self.start[0])

    def next(self, key: Key) -> tuple[str, str]:
        """The next page's cursor, and the value of `Link` (RFC 8288) that leads there."""
        cursor = self._cursors.encode(self._listing, [*self.carried, *key])
        # Neither a number nor base64url needs quoting.
        query = f"limit={self.limit}&cursor={cursor}"
        if self._filters:
            query = f"{urlencode(self._filters)}&{query}"
        return cursor, f'<{self._path}?{query}>; rel="next"'


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
