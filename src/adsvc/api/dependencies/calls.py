"""A request as operations see it: its caller, its query and body, and how it is answered.

Credentials are a bearer token (RFC 6750) of a session, a key, or, where the operator allows it,
HTTP Basic. Each operation says what a key needs for it: a scope, or that no key is enough.
"""

import json
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from fastapi import Request, Response
from fastapi.security import HTTPBearer
from fastapi.security.http import HTTPBase
from pydantic import BaseModel, JsonValue
from starlette.datastructures import Headers
from starlette.types import Scope

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse, json_response
from adsvc.api.input.parameters import (
    PageQuery,
    PageRequest,
    Pairs,
    QueryModel,
    validation_of,
)
from adsvc.enums import KeyScope, Role
from adsvc.kit.addresses import unmapped
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.faults import Fault
from adsvc.kit.http.messages import (
    Caching,
    as_etag,
    has_body,
    members_of,
    rate_limit_headers,
    read_json,
)
from adsvc.kit.records import ANYTHING, Expected, Written
from adsvc.kit.security.factors import ChallengePurpose
from adsvc.kit.security.tokens import KEY_MARK, KeySecret, KnownCaller
from adsvc.repositories.accounts import callers as caller_rows
from adsvc.repositories.accounts.callers import CallerAccount, FactorProof
from adsvc.repositories.ads.criteria import Key
from adsvc.services.accounts import keys
from adsvc.services.mail.rendering import preferred
from adsvc.services.rate_limits import (
    Attempts,
    Limit,
    attempts_by,
    attempts_from,
    give_back,
    policies_of,
    take,
)
from adsvc.settings import FactorRequired, MailRequired, Settings

Refusals = tuple[type[errors.RefusalError], ...]


class NoKey(Enum):
    """Instead of a scope, of operations that no key is enough for."""

    SESSION = "session"
    # Also of a session that lacks the second factor which the operator requires.
    SETUP = "setup"


SESSION, SETUP = NoKey.SESSION, NoKey.SETUP

# What an operation requires of a key.
Requirement = KeyScope | NoKey

# `identified` reads the header. These describe it in the OpenAPI document.
bearer = HTTPBearer(
    scheme_name="bearer",
    description="An access token from `/login` or `/token`, or the secret of a key (`adsvc_...`). "
    "The scopes of an operation are what a key needs for it.",
    auto_error=False,
)

basic = HTTPBase(
    scheme="basic",
    scheme_name="basic",
    description="User name and password in UTF-8 (RFC 7617), or else in Latin-1.",
    auto_error=False,
)


@dataclass(frozen=True, slots=True)
class CallerWithAccount:
    user: CallerAccount
    # None for a caller who sent user name and password, or a key.
    session_id: int | None
    # What the key is good for; None for a caller who sent none.
    scopes: frozenset[KeyScope] | None = None
    # When a second factor was last proved in the session; None if it was not.
    factor: FactorProof | None = None
    # In seconds; infinite without a session.
    session_age: float = math.inf

    @property
    def user_id(self) -> int:
        return self.user.id

    @property
    def is_admin(self) -> bool:
        return self.user.role is Role.ADMIN

    @property
    def plan(self) -> str:
        return self.user.plan

    @property
    def has_verified_mail(self) -> bool:
        return self.user.mail_verified


AnyCaller = KnownCaller | CallerWithAccount


def address_of(scope: Scope) -> str:
    """The client's address. Behind a trusted proxy, the address that the proxy gives."""
    client = scope.get("client")
    if not client:
        return "unknown"
    address: str = client[0]
    return unmapped(address) if ":" in address else address


async def identified(
    state: AppState, scope: Scope, authorization: str, requirement: Requirement
) -> CallerWithAccount:
    """The caller's account as the database has it now; `UnauthenticatedError` otherwise.

    The connection to the database is given back at once: what follows may be a long upload.
    """
    scope["state"]["takes_basic"] = state.settings.http_basic
    scheme, _, value = authorization.partition(" ")
    match scheme.lower():
        case "bearer":
            token = value.strip()
            is_key = token.startswith(KEY_MARK)
            caller = await (
                _by_key(state, token, address_of(scope)) if is_key else by_token(state, token)
            )
        case "basic" if state.settings.http_basic:
            begun = state.token_cache.begun
            user, seconds = await state.credentials.authenticate_request(
                value.strip(), address_of(scope)
            )
            caller = CallerWithAccount(user, None)
            key = state.credentials.cache.key_of(authorization)
            _remember(state, key, caller, time.time() + seconds, begun)
        case _:
            raise errors.UnauthenticatedError
    scope["state"]["user_id"] = caller.user.id
    require_scope(caller, requirement)
    if requirement is not SETUP and lacks_factor(state, caller):
        raise errors.FactorMissingError
    return caller


def lacks_factor(state: AppState, caller: CallerWithAccount) -> bool:
    """Whether the operator requires a second factor that these credentials do not have.

    Such callers are not in the `TokenCache`, so whoever is found there lacks none.
    """
    required = state.settings.second_factor
    is_concerned = required is FactorRequired.ALL or (
        required is FactorRequired.MODERATORS and caller.user.role is not Role.USER
    )
    # A key was made in a session, and has no factor of its own.
    has = caller.factor is not None if caller.scopes is None else caller.user.has_factor
    return is_concerned and not has


FRESH_SECONDS = 300


def has_fresh_login(caller: CallerWithAccount) -> bool:
    """Whether the caller has logged in, or proved a second factor, in the last five minutes.

    So have those who send user name and password with each request.
    """
    if caller.session_id is None:
        return caller.scopes is None
    is_proved = caller.factor is not None and caller.factor.age <= FRESH_SECONDS
    return is_proved or caller.session_age <= FRESH_SECONDS


def require_fresh_factor(state: AppState, caller: CallerWithAccount) -> None:
    """`StaleFactorError` for a session of an account with a second factor that proved it before.

    Keys are for programs, which cannot prove it again.
    """
    user, factor = caller.user, caller.factor
    if caller.scopes is not None or not user.has_factor:
        return
    if factor is None or factor.age > FRESH_SECONDS:
        if not user.has_totp:
            raise errors.StaleFactorError(None)
        challenge = state.challenges.issue(ChallengePurpose.LOGIN, user.id, user.password_hash)
        raise errors.StaleFactorError(challenge)


def _remember(
    state: AppState,
    key: str,
    caller: CallerWithAccount,
    expires_at: float,
    begun: int,
    key_id: int | None = None,
) -> None:
    """Puts the caller into the `TokenCache`, unless the account has changed since it was begun."""
    if lacks_factor(state, caller):
        return
    known = KnownCaller(
        *(caller.user_id, caller.session_id, expires_at),
        *(caller.is_admin, caller.has_verified_mail, caller.plan),
        key_id=key_id,
        scopes=caller.scopes,
    )
    state.token_cache.keep_known(key, known, begun)


def known_caller(state: AppState, authorization: str) -> KnownCaller | None:
    """The caller, if the cache has them."""
    known = state.token_cache.get(authorization)
    if known is None and state.settings.http_basic and authorization[:6].lower() == "basic ":
        known = state.token_cache.get(state.credentials.cache.key_of(authorization))
    return known


async def is_administrator(state: AppState, scope: Scope, requirement: Requirement) -> bool:
    """Whether the request has an administrator's credentials."""
    authorization = Headers(scope=scope).get("authorization", "")
    known = known_caller(state, authorization)
    try:
        return (await authenticate(state, scope, authorization, requirement, known=known)).is_admin
    except (errors.UnauthenticatedError, errors.ForbiddenError):
        return False


async def authenticate(
    state: AppState,
    scope: Scope,
    authorization: str,
    requirement: Requirement,
    *,
    known: KnownCaller | None,
) -> AnyCaller:
    """The caller, for operations that need only their id and role; `known` is from the cache."""
    if known is None:
        return await identified(state, scope, authorization, requirement)
    scope["state"]["user_id"] = known.user_id
    require_scope(known, requirement)
    return known


def suffices(caller: AnyCaller, requirement: Requirement) -> bool:
    """Whether the caller's credentials are good for the operation; those of a session always are.

    What the account may do is another question.
    """
    return caller.scopes is None or requirement in caller.scopes


def require_scope(caller: AnyCaller, requirement: Requirement) -> None:
    """`SessionRequiredError` or `InsufficientScopeError` unless the credentials suffice."""
    if suffices(caller, requirement):
        return
    if isinstance(requirement, KeyScope):
        raise errors.InsufficientScopeError(requirement)
    raise errors.SessionRequiredError


async def by_token(state: AppState, text: str) -> CallerWithAccount:
    claims = state.tokens.verify(text)
    begun = state.token_cache.begun
    found = await caller_rows.by_session(state.database.reader, claims.session_id, claims.user_id)
    if found is None:
        raise errors.UnauthenticatedError
    user, factor, age = found
    caller = CallerWithAccount(user, claims.session_id, factor=factor, session_age=age)
    _remember(state, f"Bearer {text}", caller, claims.expires_at, begun)
    return caller


async def _by_key(state: AppState, text: str, address: str) -> CallerWithAccount:
    secret, unknown = KeySecret.parse(text), state.unknown_keys
    if secret is None or unknown.has(secret.hash):
        raise errors.UnauthenticatedError
    # A network may send so many that are unknown; then even its good ones wait, unless they are in
    # the `TokenCache`. A program that repeats one that was deleted uses up a part of that a minute.
    policies = policies_of(state.settings, *attempts_from(Limit.UNKNOWN_KEYS, address))
    if state.token_cache.get(f"Bearer {text}") is None:
        state.buckets.require(policies)
    begun, unknown_begun = state.token_cache.begun, unknown.begun
    found = await keys.used(state.database, secret)
    if found is None:
        unknown.keep(secret.hash, unknown_begun)
        # Requests that were under way together may be more than there is room for.
        with suppress(errors.RateLimitedError):
            state.buckets.take(policies)
        raise errors.UnauthenticatedError
    user, key = found
    caller = CallerWithAccount(user, None, keys.granted(key))
    # Found again after that, so that its use is written down again.
    left = math.inf if key.seconds_left is None else key.seconds_left
    seconds = min(keys.USE_NOTED_SECONDS, left)
    _remember(state, f"Bearer {text}", caller, time.time() + seconds, begun, key.id)
    return caller


ROLES = {
    Role.MODERATOR: ({Role.MODERATOR, Role.ADMIN}, "a moderator or an administrator"),
    Role.ADMIN: ({Role.ADMIN}, "an administrator"),
}


def require_role(user: CallerAccount, role: Role) -> None:
    """`ForbiddenError` for callers without that role, or a higher one."""
    roles, named = ROLES[role]
    if user.role not in roles:
        raise errors.ForbiddenError(f"Only {named} may do this.")


# What needs a verified mail address, by the value of `ADSVC_MAIL_REQUIRED`.
ACTS = tuple(MailRequired)
NEEDING_MAIL = {act: ACTS[: number + 1] for number, act in enumerate(ACTS)}


def lacks_mail(state: AppState, caller: AnyCaller, act: MailRequired) -> bool:
    return not caller.has_verified_mail and act in NEEDING_MAIL[state.settings.mail_required]


def require_mail(state: AppState, caller: AnyCaller, act: MailRequired) -> None:
    if lacks_mail(state, caller, act):
        raise errors.MailNotVerifiedError


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


# What an operation returns: a record with its version, a record without one, which a read may have
# as JSON, a page of a list, nothing, or a complete response.
Result = Written | BaseModel | str | Page | ReadResponse | Response | None


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
        accepted = self.request.headers.get("accept-language", "")
        return preferred(accepted, self.state.settings.further_languages)

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
            case str():
                text = result
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
