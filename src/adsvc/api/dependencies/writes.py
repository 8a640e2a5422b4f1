"""Changes by JSON that are one statement: the limit, the body, and then the change itself."""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.caching.credentials import Known
from adsvc.api.caching.responses import expected_by
from adsvc.api.dependencies.bodies import Body, JsonRecord
from adsvc.api.dependencies.caller import Authenticated, Caller, CurrentUser, authenticate
from adsvc.api.dependencies.idempotency import (
    idempotency_key,
    key_of,
    keyed_request,
    parts_of,
    replayed,
    writer_of,
)
from adsvc.api.input.json import has_body, members_of, read_json
from adsvc.api.input.parameters import id_from
from adsvc.api.problems.handlers import rate_limit_headers
from adsvc.db.database import Transaction
from adsvc.db.pools import Row, RowWriter
from adsvc.errors import (
    AdGoneError,
    Fault,
    ForbiddenError,
    Gathering,
    InvalidRequestError,
    NotFoundError,
    RateLimitState,
    RefusalError,
    UnauthenticatedError,
)
from adsvc.http.responses import as_etag
from adsvc.repositories.accounts.callers import Account
from adsvc.repositories.accounts.rate_limits import Allowance as Granted
from adsvc.repositories.ads.projection import written_of
from adsvc.services.accounts import rate_limits
from adsvc.services.accounts.idempotency import KeyedRequest
from adsvc.services.accounts.rate_limits import Policy
from adsvc.settings import Settings
from adsvc.versions import Expected, Written


def tell_limit(response: Response, policy: Policy, granted: Granted | None) -> None:
    """Nothing, where limits are off."""
    if granted is not None:
        limit = policy.name, policy.limit, policy.window
        state = RateLimitState(*limit, granted.remaining, granted.reset)
        response.headers.update(rate_limit_headers(state))


@dataclass(frozen=True, slots=True)
class Allowance:
    """A dependency that counts one attempt of the caller; ask for it before the body."""

    policy: Callable[[Settings], Policy]

    async def __call__(self, user: CurrentUser, state: AppStateDep, response: Response) -> None:
        settings = state.settings
        limit = self.policy(settings)
        granted = await rate_limits.take(state.database, settings, limit, str(user.id))
        tell_limit(response, limit, granted)


CountedWrite = Annotated[None, Depends(Allowance(rate_limits.writes))]

count_upload = Allowance(rate_limits.uploads)

CountedUpload = Annotated[None, Depends(count_upload)]


async def count_pictures(user: Account, state: AppState, response: Response, number: int) -> None:
    """So many beside the one that was counted before the body; `RateLimitedError` if too many."""
    settings = state.settings
    limit = rate_limits.uploads(settings)
    # Pictures that one request may send are never more than the limit.
    number = min(number, limit.limit - 1)
    if number > 0:
        granted = await rate_limits.take(
            state.database, settings, limit, str(user.id), attempts=number
        )
        tell_limit(response, limit, granted)


async def require_room(user: CurrentUser, state: AppStateDep) -> None:
    await state.text_quota.require(user.id)


RoomForText = Annotated[None, Depends(require_room)]


async def get_expected(request: Request) -> Expected:
    return expected_by(request.headers)


ExpectedDep = Annotated[Expected, Depends(get_expected)]


def written_response(written: Written, told: Mapping[str, str] = {}, status: int = 200) -> Response:
    """The record, with the tag for the next `If-Match`. `told` are other headers."""
    headers = {**told, "ETag": as_etag(written.version)}
    return Response(written.record, status, headers, "application/json")


async def get_session(state: AppStateDep) -> AsyncIterator[AsyncSession]:
    async with state.database.autocommit() as session:
        yield session


async def get_transaction(state: AppStateDep) -> AsyncIterator[Transaction]:
    async with state.database.transaction() as transaction:
        yield transaction


# With scope "function" both end before the answer goes out: a failing commit is a refusal, not a
# 201 that was never true.
ReadSession = Annotated[AsyncSession, Depends(get_session, scope="function")]

TransactionDep = Annotated[Transaction, Depends(get_transaction, scope="function")]


# Members that are right by themselves, and what is wrong with others: raises what else is wrong.
Validate = Callable[[Mapping[str, Any], Sequence[Fault]], Awaitable[None]]

# None for an operation that reads no body.
Content = TypeVar("Content", bound=BaseModel | None)


@dataclass(frozen=True, slots=True)
class Write(Generic[Content]):
    """What somebody wants to change, of which nothing has been read so far.

    `caller` was known a moment ago: the statement that makes the change finds out whether they
    still are, and whether they may.
    """

    request: Request
    state: AppState
    caller: Known | Caller
    read: Callable[[], Awaitable[Content]]
    keyed: KeyedRequest | None = None
    validates_only: bool = False

    @property
    def writer(self) -> RowWriter:
        """For the statement that makes the change, whose row is one of `written_of`.

        If the request has a key, it keeps the answer in the same transaction.
        """
        if self.keyed is None:
            return self.state.database.writer
        return writer_of(self.keyed, _response_by)

    async def answer(
        self,
        change: Callable[[Content, Expected], Awaitable[Written | None]],
        *,
        require: Callable[[], Awaitable[None]],
        compare: Callable[[Expected], Awaitable[None]] | None = None,
        validate: Validate | None = None,
    ) -> Response:
        """The record that `change` gives, with its version; 204 without one, or if only judged.

        `require` raises what refuses the caller. It is asked only before another refusal, to come
        first: a caller without the right is not told that their body is wrong. `compare` and
        `judge` are asked where there is no change.
        """
        database, settings = self.state.database, self.state.settings
        limit, who = rate_limits.writes(settings), str(self.caller.user_id)
        granted = await rate_limits.take(database, settings, limit, who, before_refusal=require)
        try:
            try:
                content = await self.read()
                expected = expected_by(self.request.headers)
            except RefusalError as error:
                await require()
                await _validate_rest(error, validate)
                raise
            if self.validates_only:
                # Nothing happens that a key could keep from happening twice.
                await require()
                if compare is not None:
                    await compare(expected)
                await _validate(content, validate)
                response = Response(status_code=204)
            else:
                response = await self._happen_once(content, lambda: change(content, expected))
        except (UnauthenticatedError, ForbiddenError, NotFoundError, AdGoneError):
            # Counted before it was known; such attempts do not count.
            await rate_limits.give_back(database, settings, limit, who)
            raise
        tell_limit(response, limit, granted)
        return response

    async def _happen_once(
        self, content: Content, change: Callable[[], Awaitable[Written | None]]
    ) -> Response:
        """What stands against the change comes after the question whether it has happened."""
        keyed = self.keyed
        if keyed is None:
            return _response(await change())
        try:
            answer = await keyed.claim(parts_of(content))
            return _response(await change()) if answer is None else replayed(answer)
        except Exception:
            await keyed.release()
            raise


def _response(written: Written | None) -> Response:
    return Response(status_code=204) if written is None else written_response(written)


def _response_by(row: Row) -> Response | None:
    written = written_of(row)
    return None if written is None else _response(written)


async def _validate(content: BaseModel | None, validate: Validate | None) -> None:
    if validate is not None and content is not None:
        await validate(members_of(content), ())


async def _validate_rest(error: RefusalError, validate: Validate | None) -> None:
    """Raises what else is wrong together with what is known."""
    if validate is None or not isinstance(error, InvalidRequestError) or error.sent is None:
        return
    try:
        await validate(error.sent, error.faults)
    except InvalidRequestError as more:
        gathering = Gathering(error.faults)
        gathering.add(more.faults)
        gathering.refuse()


class BareWrite:
    """A dependency that makes a `Write` of a request whose body means nothing."""

    async def __call__(
        self, request: Request, state: AppStateDep, caller: Authenticated
    ) -> Write[None]:
        return Write(request, state, caller, _nothing)


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class JsonWrite(JsonRecord[Body]):
    """A dependency that makes a `Write` of a request with a body."""

    async def __call__(
        self, request: Request, state: AppStateDep, caller: Authenticated
    ) -> Write[Body]:
        validation = self.validation(request)

        async def read() -> Body:
            await self.require_room(state, caller.user_id)
            if not self.required and not has_body(request):
                return self.record()
            return await read_json(request, self.record, state.settings, beside=validation.faults)

        return Write(request, state, caller, read, validates_only=validation.only)


Endpoint = Callable[..., Coroutine[Any, Any, Response]]


class WriteRoute(APIRoute):
    """One whose endpoint takes a `Write` and the ids of the path, and is called with no more ado.

    To have the framework solve such a signature takes as long as all the rest.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        calls: list[object] = [dependency.call for dependency in self.dependant.dependencies]
        [make_write] = [call for call in calls if isinstance(call, JsonWrite | BareWrite)]
        takes_key = idempotency_key in calls
        endpoint: Endpoint = self.endpoint

        async def handle(request: Request) -> Response:
            state: AppState = request.app.state.state
            authorization = request.headers.get("authorization", "")
            known = state.token_cache.get(authorization)
            caller = await authenticate(state, request.scope, authorization, known=known)
            ids = [id_from(text, name) for name, text in request.path_params.items()]
            write: Write[Any] = await make_write(request, state, caller)
            key = key_of(request) if takes_key else None
            if key is not None:
                write = replace(write, keyed=keyed_request(request, state, key, caller.user_id))
            return await endpoint(write, *ids)

        return handle


def write_route(
    router: APIRouter,
    method: str,
    path: str,
    *,
    takes_key: bool = False,
    **options: Any,  # noqa: ANN401 - as `APIRouter.add_api_route`
) -> Callable[[Endpoint], Endpoint]:
    """As `router.patch` and its like, for an endpoint of that form.

    One that takes an `Idempotency-Key` makes its change by `Write.writer`.
    """
    dependencies = [Depends(idempotency_key)] if takes_key else []

    def add(endpoint: Endpoint) -> Endpoint:
        router.add_api_route(
            path,
            endpoint,
            methods=[method],
            route_class_override=WriteRoute,
            dependencies=dependencies,
            **options,
        )
        return endpoint

    return add
