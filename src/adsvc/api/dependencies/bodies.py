"""Requests to change something, and how their bodies are read."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from fastapi import Request, Response
from pydantic import BaseModel, JsonValue

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import AnyCaller, CallerWithAccount, CurrentUser, address_of
from adsvc.api.input.json import has_body, members_of, read_json
from adsvc.api.input.parameters import validation_of
from adsvc.db.database import SingleStatement, Transaction
from adsvc.errors import (
    ContentTooLargeError,
    Fault,
    Gathering,
    InvalidRequestError,
    QuotaExceededError,
    RateLimitState,
    RefusalError,
    UnsupportedMediaTypeError,
)
from adsvc.http.responses import as_etag, rate_limit_headers
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.services.accounts import rate_limits
from adsvc.services.accounts.rate_limits import Policy
from adsvc.services.mail.rendering import preferred
from adsvc.settings import Settings
from adsvc.versions import ANYTHING, Expected, Written

Refusals = tuple[type[RefusalError], ...]

# The type of the body once it is read; None for operations without one.
Content = TypeVar("Content")

LimitPolicy = Callable[[Settings], Policy]

# What an operation returns: a record with its version, a record without one, nothing, or a complete
# response.
Result = Written | BaseModel | Response | None


async def _count(
    state: AppState,
    user_id: int,
    limit: LimitPolicy,
    *,
    attempts: int = 1,
    before_refusal: Callable[[], Awaitable[object]] | None = None,
) -> Mapping[str, str]:
    """Counts attempts of the account. Returns the headers of the limit, none if limits are off."""
    policy = limit(state.settings)
    left = await rate_limits.take(
        state.database, state.settings, policy, str(user_id),
        attempts=attempts, before_refusal=before_refusal,
    )  # fmt: skip
    if left is None:
        return {}
    named = policy.name, policy.limit, policy.window
    return rate_limit_headers(RateLimitState(*named, left.remaining, left.reset))


class CountedRead:
    """A dependency of a read that counts an attempt of the caller."""

    def __init__(self, limit: LimitPolicy) -> None:
        self.limit = limit

    async def __call__(self, user: CurrentUser, state: AppStateDep, response: Response) -> None:
        response.headers.update(await _count(state, user.id, self.limit))


class Write(Generic[Content]):
    """One request to change something, with what is known of it so far.

    `content` is set when the body has been read, and one of `statement` and `transaction` when the
    operation's function is called.
    """

    caller: AnyCaller
    content: Content
    statement: SingleStatement
    transaction: Transaction

    def __init__(self, request: Request, state: AppState, status: int) -> None:
        self.request = request
        self.state = state
        self.expected: Expected = ANYTHING
        # The status of the response. An operation may set another one, and add headers.
        self.status = status
        self.headers: dict[str, str] = {}
        # The id of an account that the operation has made. Its stored answer is deleted with it.
        self.made_user_id: int | None = None
        # Closed at the end of the request: it removes the files of an upload, for example.
        self.stack: AsyncExitStack

    @property
    def user(self) -> CallerAccount:
        """The account as it was when the request began. Operations of one statement have none."""
        return self.caller_with_account.user

    @property
    def caller_with_account(self) -> CallerWithAccount:
        """As `user`, with the caller's session or key."""
        return cast("CallerWithAccount", self.caller)

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
        limit: LimitPolicy,
        *,
        attempts: int = 1,
        before_refusal: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """Counts attempts of the caller, and adds headers that say how many are left."""
        left = await _count(
            self.state, self.caller.user_id, limit,
            attempts=attempts, before_refusal=before_refusal,
        )  # fmt: skip
        self.headers.update(left)

    def response(self, result: Result) -> Response:
        match result:
            case None:
                status = self.status if self.status in NO_BODY else 204
                return Response(status_code=status, headers=self.headers)
            case Written():
                headers = {**self.headers, "ETag": as_etag(result.version)}
                return Response(result.record, self.status, headers, "application/json")
            case BaseModel():
                body = result.model_dump_json(by_alias=True)
                return Response(body, self.status, self.headers, "application/json")
            case _:
                result.headers.update(self.headers)
                return result


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

    async def read(self, write: Write[Content], found: object, *, is_repeated: bool) -> Content:
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

    async def read(self, _: Write[None], _found: object, *, is_repeated: bool) -> None:  # noqa: ARG002 - as any body
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
        faults: Callable[[Write[JsonContent], Mapping[str, Any]], Iterable[Fault]] | None = None,
    ) -> None:
        self.record = record
        self.required = required
        self.validates = validates
        self.adds_text = adds_text
        self.in_quota = in_quota
        # Instead of `json_body_max_bytes`.
        self.max_bytes = max_bytes
        self.faults = faults
        self.refusals = (InvalidRequestError, ContentTooLargeError, UnsupportedMediaTypeError)
        if in_quota:
            self.refusals += (QuotaExceededError,)

    async def read(self, write: Write[JsonContent], _: object, *, is_repeated: bool) -> JsonContent:
        request, state = write.request, write.state
        if self.adds_text and not is_repeated:
            await state.text_reserve.require()
        if self.in_quota and not is_repeated:
            await state.text_quota.require(write.caller.user_id)
        if not self.required and not has_body(request):
            return self.record()
        beside = validation_of(request.scope).faults if self.validates else ()
        try:
            record = await read_json(
                request, self.record, state.settings, self.max_bytes, beside=beside
            )
        except InvalidRequestError as error:
            if self.faults is not None and error.sent is not None:
                gathering = Gathering(error.faults)
                gathering.add(self.faults(write, error.sent))
                gathering.refuse()
            raise
        if self.faults is not None and (found := list(self.faults(write, members_of(record)))):
            raise InvalidRequestError(*found)
        return record

    def parts(self, content: JsonContent) -> tuple[JsonValue, Sequence[Path]]:
        return parts_of(content), ()
