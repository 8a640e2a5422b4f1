"""Bodies of requests: JSON, forms, and uploads of pictures and feeds."""

import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from fastapi import Request, Response
from pydantic import BaseModel, JsonValue

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse, json_response
from adsvc.api.dependencies.caller import (
    AnyCaller,
    CallerWithAccount,
    address_of,
    has_fresh_login,
)
from adsvc.api.input.multipart import PROPERTIES, Form, announced_size, pictures_in, read_form
from adsvc.api.input.parameters import (
    PageQuery,
    PageRequest,
    Pairs,
    QueryModel,
    validation_of,
)
from adsvc.api.problems import UPLOAD_REFUSALS
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.faults import Fault, beyond
from adsvc.kit.http.json import has_body, media_type, members_of, parse_json, read_json
from adsvc.kit.http.responses import Caching, as_etag, prefers_strict, rate_limit_headers
from adsvc.kit.records import ANYTHING, Expected, Written
from adsvc.models.ads import Ad
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads.criteria import Key
from adsvc.schemas.ads import CreateAd
from adsvc.services import images
from adsvc.services.ads.writing import all_faults
from adsvc.services.images import ReceivedImages
from adsvc.services.mail.rendering import preferred
from adsvc.services.rate_limits import Attempts, Limit, attempts_by, give_back, take
from adsvc.settings import Settings

Refusals = tuple[type[errors.RefusalError], ...]

# The type of the body once it is read; None for operations without one.
Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list: its records, as JSON or not, between `members` and `next`.

    `last` is the sort key of the last record; None if no page follows.
    """

    records: Sequence[str | BaseModel]
    last: Key | int | None
    members: Mapping[str, JsonValue] = field(default_factory=dict)


# What an operation returns: a record with its version, a record without one, a page of a list,
# nothing, or a complete response.
Result = Written | BaseModel | Page | ReadResponse | Response | None


class ReadAnswer(NamedTuple):
    """A successful response to `GET`, and headers for this caller alone."""

    response: ReadResponse
    headers: Mapping[str, str]


Answer = ReadAnswer | Response


class Call(Generic[Content]):
    """One request, with what is known of it so far.

    `content` is set when the body has been read, and one of `statement` and `transaction` when the
    function of an operation that changes something is called.
    """

    caller: AnyCaller
    content: Content
    statement: SingleStatement
    transaction: Transaction

    def __init__(
        self,
        request: Request,
        state: AppState,
        status: int,
        query: type[QueryModel] = QueryModel,
    ) -> None:
        self._query = query
        self.request = request
        self.state = state
        self.expected: Expected = ANYTHING
        # The status of the response. An operation may set another one, and add headers.
        self.status = status
        self.headers: dict[str, str] = {}
        # The id of an account that the operation has made. Its stored answer is deleted with it.
        self.created_user_id: int | None = None
        # Closed at the end of the request: it removes the files of an upload, for example.
        self.stack: AsyncExitStack
        # The page of the list that is read.
        self._page: PageRequest

    @cached_property
    def query(self) -> Any:  # noqa: ANN401 - of the model that the operation declares
        """The parameters of the query, validated when they are first needed."""
        return self._query.of(self.request.scope)

    @property
    def settings(self) -> Settings:
        return self.state.settings

    @property
    def database(self) -> Database:
        return self.state.database

    @property
    def user(self) -> CallerAccount:
        """The account as it was when the request began. Operations of one statement have none."""
        return self.caller_with_account.user

    @property
    def caller_with_account(self) -> CallerWithAccount:
        """As `user`, with the caller's session or key."""
        return cast("CallerWithAccount", self.caller)

    @property
    def session_id(self) -> int | None:
        return self.caller.session_id

    @property
    def has_fresh_login(self) -> bool:
        return has_fresh_login(self.caller_with_account)

    @property
    def address(self) -> str:
        return address_of(self.request.scope)

    @property
    def language(self) -> str | None:
        return preferred(self.request.headers.get("accept-language", ""))

    @property
    def user_agent(self) -> str:
        return self.request.headers.get("user-agent", "")

    async def count(
        self,
        limit: Limit,
        *,
        attempts: int = 1,
        before_refusal: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """Counts attempts of the caller, and adds headers that say how many are left."""
        counted = self.attempts(limit, attempts)
        left = await take(
            self.state.database, self.settings, counted, before_refusal=before_refusal
        )
        self.headers.update(rate_limit_headers(left))

    async def give_back(self, limit: Limit, *, attempts: float = 1) -> None:
        """Uncounts attempts that failed for another reason than the limit."""
        counted = self.attempts(limit, attempts)
        await give_back(self.state.database, self.settings, counted)

    def attempts(self, limit: Limit, number: float = 1) -> Attempts:
        return attempts_by(limit, self.caller.user_id, number=number, plan=self.caller.plan)

    def page(self, listing: str, filters: Pairs | None = None) -> PageRequest:
        """The page that the query asks for. Raises all faults of the query at once.

        Cursors of one `listing` are refused by another. `Link` repeats `filters` and nothing else
        of the query: a client could make the header longer than a proxy's buffer.
        """
        query: PageQuery = self.query
        filters = query.filters if filters is None else filters
        path = self.settings.root_path + self.request.scope["path"]
        size, cursors = query.size(self.settings), self.state.cursors
        self._page = PageRequest.of(size, query.cursor, listing, cursors, path, filters)
        return self._page

    def answer(
        self, result: Result, caching: Caching | None, *, compressible: bool = True
    ) -> Answer:
        """The answer of a read. A page or a record becomes JSON with a validator."""
        link = None
        match result:
            case ReadResponse():
                return ReadAnswer(result, self.headers)
            case Page(records, last, members):
                following, link = "null", None
                if last is not None:
                    cursor, link = self._page.next([last] if isinstance(last, int) else last)
                    following = f'"{cursor}"'
                before = "".join(f'"{name}":{json.dumps(each)},' for name, each in members.items())
                results = ",".join(
                    [each if isinstance(each, str) else _json(each) for each in records]
                )
                text = f'{{{before}"results":[{results}],"next":{following}}}'
            case BaseModel():
                text = _json(result)
            case _:
                return self.response(result)
        if caching is None:
            return Response(text, self.status, self.headers, "application/json")
        response = json_response(text.encode(), caching, link=link, compressible=compressible)
        return ReadAnswer(response, self.headers)

    def response(self, result: Result) -> Response:
        """The answer of a change."""
        match result:
            case None:
                status = self.status if self.status in NO_BODY else 204
                return Response(status_code=status, headers=self.headers)
            case Written():
                headers = {**self.headers, "ETag": as_etag(result.version)}
                return Response(result.record, self.status, headers, "application/json")
            case BaseModel():
                return Response(_json(result), self.status, self.headers, "application/json")
            case Response():
                result.headers.update(self.headers)
                return result
            case _:
                raise TypeError(f"{type(result).__name__} is no answer to a change")


def _json(record: BaseModel) -> str:
    return record.model_dump_json(by_alias=True)


# The statuses of responses without a body.
NO_BODY = (202, 204)


class Body(Generic[Content]):
    """How an operation's body is read, and what it may be refused with."""

    refusals: Refusals = ()
    # Whether the operation takes the parameter `validate`.
    validates = False
    # Whether it is received into files before it can be checked. A repeated request whose answer is
    # stored gets that answer then, even if there is no more room for the files.
    is_upload = False

    async def read(self, call: Call[Content], found: object, *, is_repeated: bool) -> Content:
        """`found` is what the operation's access function returned.

        `is_repeated` is for an upload whose key was answered before. Its access was not checked.
        """
        raise NotImplementedError

    def parts(self, content: Content) -> tuple[JsonValue, Sequence[Path]]:
        """What two requests with one idempotency key are compared by: members, and files."""
        raise NotImplementedError


def parts_of(record: BaseModel | None) -> JsonValue:
    """The members of a body. Two requests with one key are compared by them."""
    if record is None:
        return None
    sent: JsonValue = record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return sent


class Nothing(Body[None]):
    """No body. If a client sends one, it is not read."""

    async def read(self, _: Call[None], _found: object, *, is_repeated: bool) -> None:  # noqa: ARG002 - as any body
        return None

    def parts(self, _: None) -> tuple[JsonValue, Sequence[Path]]:
        return None, ()


JsonContent = TypeVar("JsonContent", bound=BaseModel)


class Json(Body[JsonContent]):
    """A JSON body that is validated as `record`. The OpenAPI document takes its schema from here.

    `adds_text` says whether the operation stores text: it is refused while the disk is nearly full.
    `in_quota` says whether that text counts towards the caller's quota. `faults` are rules on
    several members together: a function of the request and of those members that are valid by
    themselves.
    """

    def __init__(
        self,
        record: type[JsonContent],
        *,
        required: bool = True,
        validates: bool = False,
        adds_text: bool = True,
        in_quota: bool = False,
        max_bytes: int | None = None,
        faults: Callable[[Call[JsonContent], Mapping[str, Any]], Iterable[Fault]] | None = None,
    ) -> None:
        self.record = record
        self.required = required
        self.validates = validates
        self.adds_text = adds_text
        self.in_quota = in_quota
        # Instead of `json_body_max_bytes`.
        self.max_bytes = max_bytes
        self.faults = faults
        self.refusals = (
            errors.InvalidRequestError,
            errors.ContentTooLargeError,
            errors.UnsupportedMediaTypeError,
        )
        if in_quota:
            self.refusals += (errors.QuotaExceededError,)

    async def read(self, call: Call[JsonContent], _: object, *, is_repeated: bool) -> JsonContent:
        request, state = call.request, call.state
        if self.adds_text and not is_repeated:
            await state.text_reserve.require()
        if self.in_quota and not is_repeated:
            await state.text_quota.require(call.caller.user_id)
        if not self.required and not has_body(request):
            return self.record()
        query_faults = validation_of(request.scope).faults if self.validates else ()
        try:
            record = await read_json(
                request, self.record, state.settings, self.max_bytes, query_faults=query_faults
            )
        except errors.InvalidRequestError as error:
            if self.faults is not None and error.sent is not None:
                gathering = errors.Gathering(error.faults)
                gathering.add(self.faults(call, error.sent))
                gathering.refuse()
            raise
        if self.faults is not None and (found := list(self.faults(call, members_of(record)))):
            raise errors.InvalidRequestError(*found)
        return record

    def parts(self, content: JsonContent) -> tuple[JsonValue, Sequence[Path]]:
        return parts_of(content), ()


# The limit on received pictures. The first one of a request is counted before its body is read.
LIMIT = Limit.UPLOADS


@asynccontextmanager
async def _received(
    call: Call[Any],
    *,
    most: int | None = None,
    with_properties: bool = False,
    is_repeated: bool = False,
) -> AsyncIterator[tuple[ReceivedImages, Form]]:
    """Receives the form. Nothing is read before there is room for its announced size."""
    request, state = call.request, call.state
    settings, party = state.settings, Client.of(call.user.id, call.address)
    size = announced_size(request, settings, most)
    async with _counted(call, is_repeated=is_repeated) as counted:
        await counted.count(math.ceil(pictures_in(settings, size or 0)))
        async with state.uploads.room(party, size) as room:

            async def take(size: int) -> None:
                await counted.receive(size)
                await room.take(size)

            with state.image_pool.slot(party) as slot:
                async with read_form(
                    request, settings, images=most, with_properties=with_properties, take=take
                ) as form:
                    await counted.count(len(form.images))
                    yield ReceivedImages(form.images, slot), form


@dataclass(slots=True)
class _Counted:
    """What a form has counted. Its first picture was counted before its body was read.

    Bytes count as the pictures that they could be, before they are read if they are announced.
    """

    call: Call[Any]
    # A repeated form counts as one picture.
    is_repeated: bool
    pictures: int = 1
    # In bytes.
    received: int = 0

    @property
    def pictures_received(self) -> float:
        """The pictures that a refused form counts: the part that was received."""
        return min(self.pictures, pictures_in(self.call.state.settings, self.received))

    async def receive(self, size: int) -> None:
        """As `count`, for the bytes that have arrived."""
        self.received += size
        await self.count(math.ceil(pictures_in(self.call.state.settings, self.received)))

    async def count(self, pictures: int) -> None:
        """Counts as many pictures in all, or raises `RateLimitedError`.

        A form with more pictures than the limit allows counts as that many: otherwise it could
        never be accepted.
        """
        if self.is_repeated:
            return
        most = self.call.attempts(LIMIT).policy(self.call.settings).limit
        others = min(pictures, most) - self.pictures
        if others > 0:
            # The wait of a refusal is that for the whole form: the first picture is given back.
            try:
                await self.call.count(LIMIT, attempts=others)
            except errors.RateLimitedError as error:
                wait = error.retry_after + math.ceil(
                    self.pictures_received * error.window / error.limit
                )
                raise errors.RateLimitedError(
                    error.policy, error.limit, error.window, wait
                ) from None
            self.pictures += others


@asynccontextmanager
async def _counted(call: Call[Any], *, is_repeated: bool) -> AsyncIterator[_Counted]:
    """A form that the service has no room for counts nothing. One that is beyond the limit or the
    share of its account counts what was received of it.

    Its client waits as the refusal says, and then sends the whole form again.
    """
    counted = _Counted(call, is_repeated)
    try:
        yield counted
    except (errors.RateLimitedError, errors.OverloadedError):
        await call.give_back(LIMIT, attempts=counted.pictures - counted.pictures_received)
        raise
    except (errors.TooManyUploadsError, errors.UnavailableError):
        await call.give_back(LIMIT, attempts=counted.pictures)
        raise


def _require_whole(form: Form) -> None:
    if form.faults:
        raise errors.InvalidRequestError(*form.faults)


class PictureForm(Body[ReceivedImages]):
    """One picture."""

    refusals = UPLOAD_REFUSALS

    async def read(
        self,
        call: Call[ReceivedImages],
        _: object,
        *,
        is_repeated: bool,  # noqa: ARG002 - as any body
    ) -> ReceivedImages:
        received, form = await call.stack.enter_async_context(_received(call))
        _require_whole(form)
        return received


class PicturesForm(Body[ReceivedImages]):
    """Pictures for the ad that the access function found: as many as it may still have."""

    refusals = (*UPLOAD_REFUSALS, errors.TooManyImagesError)
    is_upload = True

    async def read(
        self, call: Call[ReceivedImages], found: object, *, is_repeated: bool
    ) -> ReceivedImages:
        settings = call.state.settings
        most = settings.ad_images_max
        if not is_repeated:
            ad = cast("Ad", found)
            most -= ad.image_count
            if most <= 0:
                raise errors.TooManyImagesError(settings.ad_images_max)
            await images.require_picture_quota(call.state.database, settings, ad.author_id)
        receiving = _received(call, most=most, is_repeated=is_repeated)
        received, form = await call.stack.enter_async_context(receiving)
        _require_whole(form)
        return received

    def parts(self, content: ReceivedImages) -> tuple[JsonValue, Sequence[Path]]:
        return None, content.files


@dataclass(frozen=True, slots=True)
class UploadedAd:
    properties: CreateAd
    images: ReceivedImages | None


class AdForm(Body[UploadedAd]):
    """A new ad with its pictures.

    One refusal lists everything that is wrong with query, form, properties and pictures.
    """

    refusals = (*UPLOAD_REFUSALS, errors.TooManyImagesError)
    validates = True
    is_upload = True

    async def read(self, call: Call[UploadedAd], _: object, *, is_repeated: bool) -> UploadedAd:
        state, settings = call.state, call.state.settings
        if not is_repeated:
            await state.text_quota.require(call.user.id)
            await images.require_picture_quota(state.database, settings, call.user.id)
        await call.stack.enter_async_context(_faults_in_form(call))
        receiving = _received(
            call, most=settings.ad_images_max, with_properties=True, is_repeated=is_repeated
        )
        received, form = await call.stack.enter_async_context(receiving)
        if is_repeated:
            _require_whole(form)
        try:
            properties = _properties(call, form)
        except errors.InvalidRequestError as error:
            if is_repeated:
                raise
            raise await all_faults(error, settings, state.categories, received) from None
        return UploadedAd(properties, received)

    def parts(self, content: UploadedAd) -> tuple[JsonValue, Sequence[Path]]:
        files = () if content.images is None else content.images.files
        return parts_of(content.properties), files


class AdFormOrJson(AdForm):
    """As `AdForm`, or the properties alone as JSON, without pictures."""

    validates = False

    async def read(self, call: Call[UploadedAd], found: object, *, is_repeated: bool) -> UploadedAd:
        if media_type(call.request) == "application/json":
            body = Json(CreateAd, in_quota=True)
            properties = cast("Call[CreateAd]", call)
            return UploadedAd(await body.read(properties, found, is_repeated=is_repeated), None)
        # The first picture of a form is counted before the form is received.
        await call.count(LIMIT)
        return await super().read(call, found, is_repeated=is_repeated)


@asynccontextmanager
async def _faults_in_form(call: Call[UploadedAd]) -> AsyncIterator[None]:
    """Until the end of the request, faults of the ad get the part `properties`.

    This includes those that the operation finds later.
    """
    validation = validation_of(call.request.scope)
    try:
        yield
    except errors.InvalidRequestError as error:
        found = [*validation.faults, *beyond(validation.faults, error.faults)]
        error.faults = [fault.within(PROPERTIES) for fault in found]
        raise


def _properties(call: Call[UploadedAd], form: Form) -> CreateAd:
    found: Sequence[Fault] = (*validation_of(call.request.scope).faults, *form.faults)
    if any(fault.part == PROPERTIES for fault in form.faults):
        raise errors.InvalidRequestError(*found)
    try:
        strict = prefers_strict(call.request.scope["headers"])
        settings = call.state.settings
        return parse_json(form.properties, CreateAd, settings, query_faults=found, strict=strict)
    except errors.InvalidRequestError as error:
        # Beside the faults of the form, which have other parts.
        error.faults = [fault.within(PROPERTIES) for fault in error.faults]
        raise
