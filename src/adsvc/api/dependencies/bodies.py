"""Requests, how their bodies are read, and what their answers are made of."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
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
from adsvc.api.input.parameters import (
    PageQuery,
    PageRequest,
    Pairs,
    QueryModel,
    validation_of,
)
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.faults import Fault
from adsvc.kit.http.json import has_body, members_of, read_json
from adsvc.kit.http.responses import Caching, as_etag, rate_limit_headers
from adsvc.kit.versions import ANYTHING, Expected, Written
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads.criteria import Key
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
        path = self.settings.root_path + self.request.scope["path"]
        size, cursors = query.size(self.settings), self.state.cursors
        self._page = PageRequest.of(size, query.cursor, listing, cursors, path, filters or [])
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
