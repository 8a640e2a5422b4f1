"""Operations: one declaration for each, and the one list of steps around its function.

An operation is a declaration, `Endpoint`, and the function that it decorates. `Endpoint.perform`
is the list of what happens around that function: authentication, access, limit, query or body, dry
run, idempotency key, the function itself, and the commit of its change.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Annotated, Any, TypeVar, cast, get_args

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.caching import expected_by
from adsvc.api.dependencies.access import refusals_of
from adsvc.api.dependencies.calls import (
    SESSION,
    Answer,
    AnyCaller,
    Body,
    Call,
    Json,
    Nothing,
    Refusals,
    Requirement,
    Result,
    address_of,
    authenticate,
    basic,
    bearer,
    identified,
    known_caller,
    require_fresh_factor,
    require_mail,
    require_role,
)
from adsvc.api.input.parameters import (
    VALIDATE,
    PathParameter,
    QueryModel,
    refuse_unknown_parameters,
    validation_of,
)
from adsvc.api.problems import add_refusal, protocol_refusals, refusals
from adsvc.enums import Feature, KeyScope, Role
from adsvc.kit import faults
from adsvc.kit.addresses import client_network
from adsvc.kit.bulkheads.admission import Admission, Client
from adsvc.kit.db.statements import Follow, Row
from adsvc.kit.http.messages import PRIVATE, Caching, Deprecation
from adsvc.kit.records import Written
from adsvc.repositories.accounts.idempotency_keys import StoredAnswer
from adsvc.repositories.ads.projection import written_of
from adsvc.services.accounts.idempotency import KeyedRequest
from adsvc.services.rate_limits import Limit
from adsvc.settings import MailRequired

# Refusals that depend on the caller and the thing, not on the change.
ACCESS_REFUSALS = (
    errors.UnauthenticatedError,
    errors.ForbiddenError,
    errors.NotFoundError,
    errors.AdGoneError,
)

Responses = dict[int | str, dict[str, Any]]

# Takes the `Call`, and what the access function found or else the ids of the path.
Function = TypeVar("Function", bound=Callable[..., Awaitable[Result]])

Hook = Callable[..., Awaitable[None]]

Convert = Callable[[str], Any]


# In a scope: only the head of the response is wanted. What would go on for ever need not begin.
IS_HEAD = "adsvc.is_head"

# Methods that change nothing (RFC 9110 §9.2.1).
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


@dataclass(eq=False)
class Endpoint:
    """Decorates the function of an operation, and adds its route.

    FastAPI makes the document of it, and never calls it: the pipeline calls `perform`. Its
    signature has the parameters for the document alone.
    """

    router: "Router"
    method: str
    path: str
    _: KW_ONLY
    # For the document, as in `APIRouter.add_api_route`. `responses` must name neither refusals nor,
    # if the function returns `Written`, the `ETag`.
    summary: str
    # The name of the function in camelCase, if it is not given.
    operation_id: str = ""
    # 204 if the function returns nothing, and otherwise 200, if it is not given.
    status: int = 0
    # The record that the function returns, if it is not given.
    response_model: type[BaseModel] | None = None
    response_class: type[Response] = JSONResponse
    responses: Responses = field(default_factory=dict)
    openapi_extra: dict[str, Any] | None = None
    deprecation: Deprecation | None = None
    # Parameters that the document has and the function reads from the headers of the request.
    # By name: the annotation, and the default.
    headers: Mapping[str, tuple[Any, str | None]] = field(default_factory=dict)
    # The parameters of the query, for `Call.query`.
    query: type[QueryModel] | None = None
    # Caching of the answer to `GET`, which then has a validator; None if it has none.
    caching: Caching | None = PRIVATE
    # Whether the answer may be compressed. Long lists of texts are not: it takes the event loop.
    compressible: bool = True
    # Whether unknown parameters are refused where the client prefers that (RFC 7240 §4.4).
    strict: bool = True
    # How the body is read. By default it is JSON if the function's `Call` names a record.
    body: Body[Any] = field(default_factory=Nothing)
    # Whether it needs no credentials. Its function then counts attempts itself, by address.
    anonymous: bool = False
    # What a key needs, and the role that the caller needs, if the router does not say it. Higher
    # roles may too.
    requires: Requirement | None = None
    role: Role | None = None
    # Whether a session of an account with a second factor must have proved it lately. What only
    # administrators may do always requires that.
    fresh_factor: bool = False
    # Whether the caller needs a verified mail address, where the operator wants that.
    needs_mail: MailRequired | None = None
    # Whether a change needs the site's terms accepted. Administrators, who set these, need not.
    needs_terms: bool = True
    # Whether the function of a read needs the caller's account, as the database has it. Without it
    # the caller may be one whom the `TokenCache` knows, with id and scopes alone.
    account: bool = False
    # One of the functions in `access`. It checks that the caller may make the change, and may
    # return the thing to be changed. A body on a path with ids needs one, so that a thing that the
    # caller may not see is 404 whatever the body.
    access: Callable[..., Awaitable[Any]] | None = None
    # The rate limit that counts its attempts; None if they do not count. Changes count as changes.
    limit: Limit | None = Limit.WRITES
    # What the site must offer. Without it a list is empty, and all else is refused.
    features: Collection[Feature] = ()
    # Whether a read is of a list that only the caller has: an account reads few of these at once.
    own_list: bool = False
    # Whether it obeys `If-Match`: then its function checks `Call.expected`.
    version: bool = False
    # Whether it obeys `Idempotency-Key`.
    takes_key: bool = False
    # Whether the change is one statement, by `Call.statement`, that checks the access itself.
    # Otherwise it is a transaction, `Call.transaction`.
    one_statement: bool = False
    # With `validate=true` it checks what the body alone does not show; called like the function.
    dry_run: Hook | None = None
    # Called when the body is refused, to raise further faults. It gets the `Call`, the members
    # that are valid by themselves, the faults that are known, and the ids.
    more_faults: Hook | None = None
    # Refusals that only its function raises. All others follow from the rest.
    refused_with: Refusals = ()
    # Whether it needs nothing that can fail, such as the database.
    is_infallible: bool = False

    def __call__(self, function: Function) -> Function:
        self.operation_id = self.operation_id or to_camel(function.__name__)
        if not self.anonymous:
            default = self.router.reads if self.is_read else self.router.requires
            self.requires, self.role = self.requires or default, self.role or self.router.role
        if self.anonymous is (self.requires is not None):
            raise TypeError(f"{self.operation_id} must say what a key needs, or be anonymous")
        signature = inspect.signature(function)
        returned = signature.return_annotation
        self.status = self.status or (204 if returned is None else 200)
        call, *_ = signature.parameters.values()
        [content] = get_args(call.annotation)
        if isinstance(self.body, Nothing) and issubclass(content, BaseModel):
            self.body = Json(content)
        if self.is_read and self.limit is Limit.WRITES:
            self.limit = None
        if self.is_read or self.anonymous or self.role is Role.ADMIN:
            self.needs_terms = False
        self._function = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        path = {
            parameter.name: _parameter(parameter.name, parameter.annotation)
            for declared in (self.access, function)
            if declared is not None
            for parameter in inspect.signature(declared).parameters.values()
            if _converter(parameter) is not None
        }
        sees_all = self.role is Role.ADMIN
        if path and self.access is None and self.body.refusals and not sees_all:
            # A refused body, and a dry run, would answer before anything looks for the thing.
            raise TypeError(f"{self.operation_id} has a body and names a thing: it needs `access`")
        self._converters = [cast("Convert", _converter(each)) for each in path.values()]
        self.__signature__ = inspect.Signature([*self._documented(), *path.values()])
        self.parameters = frozenset(self._parameters())
        returns_record = isinstance(returned, type) and issubclass(returned, BaseModel)
        if returns_record and self.response_model is None:
            self.response_model = returned
        self.router.api.add_api_route(
            self.path,
            self,
            methods=[self.method],
            operation_id=self.operation_id,
            summary=self.summary,
            description=self._description(),
            status_code=self.status,
            response_description=SUCCESS.get(self.status, ""),
            response_model=self.response_model,
            response_class=Response if returned is None else self.response_class,
            responses=self._responses(writes=returned is Written),
            openapi_extra=self.openapi_extra,
        )
        return function

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    def _description(self) -> str:
        parts = [inspect.cleandoc(self.__doc__ or "")]
        if self.deprecation is not None:
            parts.append(f"Deprecated: use `{self.deprecation.successor}`, which does the same.")
        if isinstance(self.requires, KeyScope):
            parts.append(f"A key needs the scope `{self.requires}`.")
        elif self.requires is not None:
            parts.append("Needs a session: a key is refused.")
        return "\n\n".join(parts)

    def _responses(self, *, writes: bool) -> Responses:
        """All but the one with the record, and the refusal of a key."""
        described = dict(self.responses)
        if writes:
            described.setdefault(self.status, {"headers": {"ETag": {}}})
        refused = {} if self.is_infallible else refusals(*self.refusals)
        if self.is_read and self.caching is not None:
            described = _merged(CONDITIONAL, described)
        order = (described, refused) if self.is_read else (refused, described)
        responses = _merged(*order)
        if isinstance(self.body, Json) and self.body.adds_text:
            add_refusal(responses, errors.DiskNearlyFullError)
        has_body = isinstance(self.body, Json) or "requestBody" in (self.openapi_extra or {})
        responses |= protocol_refusals(with_body=has_body)
        if self.body.validates:
            responses[204] = {"description": ACCEPTABLE}
        if self.strict and not {400, "400"} & responses.keys():
            responses |= {400: refusals(errors.InvalidRequestError)[400]}
        return responses

    def _documented(self) -> Iterator[inspect.Parameter]:
        if not self.anonymous:
            yield _parameter("bearer", Annotated[object, Depends(bearer)])
            yield _parameter("basic", Annotated[object, Depends(basic)])
        if self.takes_key:
            yield _parameter("key", IdempotencyKey, default=None)
        if self.query is not None:
            yield _parameter("query", Annotated[self.query, Query()])
        for name, (annotation, default) in self.headers.items():
            yield _parameter(name, annotation, default=default)

    def _parameters(self) -> Iterator[str]:
        """The names of the parameters of its query."""
        if self.query is not None:
            yield from (of.alias or name for name, of in self.query.model_fields.items())
        # Those that the operation reads itself.
        documented = (self.openapi_extra or {}).get("parameters", ())
        yield from (each["name"] for each in documented if each["in"] == "query")
        if self.body.validates:
            yield VALIDATE

    @property
    def is_counted(self) -> bool:
        return self.limit is not None and not self.anonymous

    @property
    def needs_fresh_factor(self) -> bool:
        return self.fresh_factor or (self.role is Role.ADMIN and not self.is_read)

    @property
    def refusals(self) -> Refusals:
        """Its refusals, from what it depends on, in the order of the table of problems."""
        kinds = {*self.body.refusals, *self.refused_with, *refusals_of(self.access)}
        derived: list[tuple[bool, Refusals]] = [
            (not self.anonymous, (errors.UnauthenticatedError,)),
            (self.role is not None, (errors.ForbiddenError,)),
            (bool(self.features) and not self._is_list, (errors.FeatureOffError,)),
            (self.needs_fresh_factor, (errors.StaleFactorError,)),
            (bool(self._converters) or self.version, (errors.InvalidRequestError,)),
            (self.query is not None, (errors.InvalidRequestError,)),
            (self.query is not None and self.query.has_cursor, (errors.CursorExpiredError,)),
            (self.needs_mail is not None, (errors.MailNotVerifiedError,)),
            (self.needs_terms, (errors.TermsRequiredError,)),
            (self.is_counted, (errors.RateLimitedError,)),
            (self.version, (errors.PreconditionFailedError,)),
            (self.takes_key, (errors.IdempotencyInProgressError, errors.IdempotencyKeyReusedError)),
        ]
        for applies, reasons in derived:
            kinds.update(reasons if applies else ())
        order = [(problem.status, problem.slug) for problem in errors.PROBLEMS]
        # Several errors may have one problem type.
        types = {kind.slug: kind for kind in sorted(kinds, key=lambda k: k.__name__)}
        return tuple(sorted(types.values(), key=lambda kind: order.index((kind.status, kind.slug))))

    async def perform(self, request: Request) -> Answer:
        """As `_perform`. An account whose token is known reads few things at once: what one reads
        beyond that would keep others waiting.
        """
        state: AppState = request.app.state.service
        known = None
        if self.is_read and not self.anonymous:
            known = known_caller(state, request.headers.get("authorization", ""))
        if known is None:
            return await self._perform(request, state)
        async with state.reads.share(Client.of(known.user_id, address_of(request.scope))):
            return await self._perform(request, state)

    async def _perform(self, request: Request, state: AppState) -> Answer:
        """The list of what happens, in order.

        In an operation of one statement, that statement checks the access. The access function is
        called only before another refusal, because a refusal of access comes first.
        """
        call: Call[Any] = Call(request, state, self.status, self.query or QueryModel)
        if not self.anonymous:
            call.caller = await self._authenticate(request, state)
        self._check_caller_and_query(call, state)
        values = request.path_params.values()
        ids = [convert(text) for convert, text in zip(self._converters, values, strict=True)]
        key = key_of(request) if self.takes_key else None
        await self._require_mail_and_terms(call, state)
        validates_only = self.body.validates and validation_of(request.scope).only
        # A dry run changes nothing, so its key is not used.
        keyed = None if key is None or validates_only else self._keyed(call, key)
        is_repeated = (
            self._looks_for_answer_first and keyed is not None and await keyed.is_answered()
        )
        check = partial(self._check_access, call, ids)
        # What the access function returns, such as the ad. It takes the place of the path's ids as
        # the argument of the operation's function.
        found = None if self.one_statement or is_repeated else await check()
        if self.limit is not None and self.is_counted:
            before_refusal = check if self.one_statement else None
            # Attempts of one account are counted in one row.
            async with _share(call, state.changes):
                await call.count(self.limit, before_refusal=before_refusal)
        if self.is_read:
            async with _share(call, state.long_reads) if self.own_list else nullcontext():
                arguments = ids if found is None else [found]
                result = self._empty_list(call) or await self._function(call, *arguments)
            return call.answer(result, self.caching, compressible=self.compressible)
        try:
            async with AsyncExitStack() as call.stack:
                await self._read(call, found, check, ids, is_repeated=is_repeated)
                arguments = ids if found is None else [found]
                if validates_only:
                    if self.one_statement:
                        await check()
                    if self.dry_run is not None:
                        await self.dry_run(call, *arguments)
                    return Response(status_code=204, headers=call.headers)
                return await self._replay_or_run(call, keyed, arguments, is_repeated=is_repeated)
        except ACCESS_REFUSALS:
            if self.one_statement and self.limit is not None:
                # The attempt was counted before access was refused. Refused access does not count.
                await call.give_back(self.limit)
            raise

    @property
    def _is_list(self) -> bool:
        """One whose `next` is always there goes on for ever, and so has no empty answer."""
        fields = getattr(self.response_model, "model_fields", {})
        ends = "next" not in fields or fields["next"].annotation is not str
        return self.is_read and "results" in fields and ends

    def _empty_list(self, call: Call[Any]) -> BaseModel | None:
        """What a list answers if one of its features is off."""
        is_off = any(each in call.settings.features_off for each in self.features)
        model = self.response_model
        return model.model_validate(EMPTY_LIST) if is_off and model is not None else None

    @property
    def _looks_for_answer_first(self) -> bool:
        """Whether a stored answer is looked for before access and quotas are checked.

        An upload takes a quota and room. What `access` finds may be gone, unless a statement checks
        it, which comes after the key. A role is never gone for the one who has it.
        """
        checks_first = self.access is not None and not self.one_statement
        return self.body.is_upload or (checks_first and self.role is None)

    async def _authenticate(self, request: Request, state: AppState) -> AnyCaller:
        authorization = request.headers.get("authorization", "")
        requirement = self.requires or SESSION
        if self._needs_account:
            return await identified(state, request.scope, authorization, requirement)
        known = known_caller(state, authorization)
        return await authenticate(state, request.scope, authorization, requirement, known=known)

    @property
    def _needs_account(self) -> bool:
        """Whether the caller's account is read from the database before all else."""
        if self.is_read:
            needs = self.account, self.role, self.access
            return self.needs_fresh_factor or any(needs)
        return not self.one_statement

    def _check_caller_and_query(self, call: Call[Any], state: AppState) -> None:
        if self.role is not None:
            require_role(call.user, self.role)
        if self.needs_fresh_factor:
            require_fresh_factor(state, call.caller_with_account)
        for feature in self.features:
            if feature in call.settings.features_off and not self._is_list:
                raise errors.FeatureOffError(feature)
        if self.strict:
            refuse_unknown_parameters(call.request.scope, self.parameters)

    async def _require_mail_and_terms(self, call: Call[Any], state: AppState) -> None:
        if self.needs_mail is not None:
            require_mail(state, call.caller, self.needs_mail)
        if self.needs_terms and call.settings.terms and not call.caller.is_admin:
            await state.terms.require(call.caller.user_id)

    async def _check_access(self, call: Call[Any], ids: Sequence[Any]) -> Any:  # noqa: ANN401 - what it finds
        return None if self.access is None else await self.access(call.caller, call.state, *ids)

    def _keyed(self, call: Call[Any], key: str) -> KeyedRequest:
        request, state = call.request, call.state
        owner = client_network(call.address) if self.anonymous else call.caller.user_id
        # Two requests with one key are compared by their query too.
        operation = [request.method, request.scope["path"]]
        if self.query is not None:
            operation.append(call.query.model_dump_json())
        return KeyedRequest(state.database, state.settings, key, owner=owner, operation=operation)

    async def _read(
        self,
        call: Call[Any],
        found: object,
        check: Callable[[], Awaitable[object]],
        ids: Sequence[Any],
        *,
        is_repeated: bool,
    ) -> None:
        """Reads the version that the client expects, and the body."""
        try:
            if self.version:
                call.expected = expected_by(call.request.headers)
            call.content = await self.body.read(call, found, is_repeated=is_repeated)
        except errors.RefusalError as error:
            if self.one_statement:
                await check()
            if (
                self.more_faults is not None
                and isinstance(error, errors.InvalidRequestError)
                and error.sent is not None
            ):
                try:
                    await self.more_faults(call, error.sent, error.faults, *ids)
                except errors.InvalidRequestError as more:
                    gathering = errors.Gathering(error.faults)
                    gathering.add(more.faults)
                    gathering.refuse()
            raise

    async def _replay_or_run(
        self,
        call: Call[Any],
        keyed: KeyedRequest | None,
        arguments: Sequence[Any],
        *,
        is_repeated: bool,
    ) -> Response:
        """Commits the change, or replays the answer if this key was used before."""
        if keyed is None:
            return await self._run(call, None, arguments)
        try:
            parts = self.body.parts(call.content)
            answer = await (keyed.answer(*parts) if is_repeated else keyed.claim(*parts))
            if answer is not None:
                return replayed(answer, call.headers)
            return await self._run(call, keyed, arguments)
        except Exception:
            await keyed.release()
            raise

    async def _run(
        self, call: Call[Any], keyed: KeyedRequest | None, arguments: Sequence[Any]
    ) -> Response:
        """Commits the change and the stored answer of its key together."""
        database = call.state.database
        # Uploads have shares of their own.
        has_share = self.is_counted and not self.body.is_upload
        async with _share(call, call.state.changes) if has_share else nullcontext():
            if self.one_statement:
                follow = None if keyed is None else _keeping(call, keyed)
                async with database.statement(follow) as call.statement:
                    return call.response(await self._function(call, *arguments))
            async with database.transaction() as call.transaction:
                response = call.response(await self._function(call, *arguments))
                if keyed is not None:
                    answer = answer_of(response)
                    await keyed.keep(call.transaction, answer, user_id=call.created_user_id)
            return response


class Router:
    """Declares the operations of a resource: `@notes.get("/{id}", …)`.

    `requires`, of `GET` `reads`, and `role` are those of its operations, unless one has its own or
    is anonymous.
    """

    def __init__(
        self,
        prefix: str = "",
        *,
        tag: str,
        requires: Requirement | None = None,
        reads: Requirement | None = None,
        role: Role | None = None,
    ) -> None:
        self.prefix = prefix
        self.requires, self.reads, self.role = requires, reads or requires, role
        self.api = APIRouter(prefix=prefix, tags=[tag])
        self.routes = self.api.routes
        self.get = partial(Endpoint, self, "GET")
        self.post = partial(Endpoint, self, "POST")
        self.put = partial(Endpoint, self, "PUT")
        self.patch = partial(Endpoint, self, "PATCH")
        self.delete = partial(Endpoint, self, "DELETE")


def _share(call: Call[Any], bulkhead: Admission) -> AbstractAsyncContextManager[None]:
    """The account's share of a bulkhead: its changes lock the same rows."""
    return bulkhead.share(Client.of(call.caller.user_id, call.address))


def _keeping(call: Call[Any], keyed: KeyedRequest) -> Follow:
    """Stores the answer with the change: its row is as `written_of` reads it."""

    def answer(row: Row) -> StoredAnswer | None:
        written = written_of(row)
        return None if written is None else answer_of(call.response(written))

    return keyed.follow(answer)


def _parameter(name: str, annotation: object, **options: Any) -> inspect.Parameter:  # noqa: ANN401 - a default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, **options)


def _converter(parameter: inspect.Parameter) -> Convert | None:
    """Converts a part of the path to an id; None if the parameter is not in the path."""
    marks = get_args(parameter.annotation)[1:]
    return next((mark.convert for mark in marks if isinstance(mark, PathParameter)), None)


def _merged(refused: Responses, described: Responses) -> Responses:
    """Both, with the headers of both at a status that both have."""
    merged = refused | described
    for status in refused.keys() & described.keys():
        headers = refused[status].get("headers", {}) | described[status].get("headers", {})
        merged[status] = {**refused[status], **described[status], "headers": headers}
    return merged


# Of any list: each takes what it has.
EMPTY_LIST: Mapping[str, object] = {"results": [], "next": None, "count": 0, "countExact": True}

SUCCESS = {
    200: "Success",
    201: "Created",
    202: "Accepted: it will be done later; no body",
    204: "Success; no body",
}
ACCEPTABLE = "With `validate=true`: the request would be accepted; no body"

# What an answer to `GET` with a validator adds to the document.
CONDITIONAL: Responses = {
    200: {"headers": {"ETag": {}}},
    304: {"description": "The client's copy is current; no body", "headers": {"ETag": {}}},
}


# Idempotency keys: how a request sends one, and how a stored answer is replayed.
KEY_HEADER = "Idempotency-Key"

# Printable ASCII, bare or as a string of RFC 9651 §3.3.3, which escapes quotes and backslashes.
BARE_KEY = r"[!#-~](?:[ -~]{0,253}[!-~])?"
QUOTED_KEY = r'"(?:[ !#-\[\]-~]|\\["\\]){1,255}"'
KEY = re.compile(f"{BARE_KEY}|{QUOTED_KEY}")
ESCAPED = re.compile(r"\\(.)")

KEY_DESCRIPTION = """
Identifies the request, so that it can be sent again after a lost answer: it is carried out once,
and for 24 hours the same request with the same key gets the first answer again, with
`Idempotent-Replayed: true`. 1 to 255 printable characters, such as a random UUID, bare or in
quotes.
"""

# For the document only. FastAPI would check the header after everything else; `key_of` does it
# first.
IdempotencyKey = Annotated[
    str | SkipJsonSchema[None],
    Header(
        alias=KEY_HEADER,
        description=" ".join(KEY_DESCRIPTION.split()),
        examples=["7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"],
        json_schema_extra={"pattern": f"^(?:{BARE_KEY}|{QUOTED_KEY})$"},
    ),
]

# The headers that belong to the answer. The request's id and its limits are made anew.
STORED_HEADERS = ("cache-control", "content-location", "content-type", "etag", "link", "location")

REPLAYED = {"Idempotent-Replayed": "true"}


def key_of(request: Request) -> str | None:
    """The key without its quotes; None if there is none."""
    sent = request.headers.getlist(KEY_HEADER)
    if not sent:
        return None
    value = sent[0].strip(" \t")
    if len(sent) > 1 or not KEY.fullmatch(value):
        detail = "must be there once, and have 1 to 255 printable ASCII characters"
        fault = faults.wrong_format(detail, minLength=1, maxLength=255)
        raise errors.InvalidRequestError(fault.of(KEY_HEADER))
    return ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value


def answer_of(response: Response) -> StoredAnswer:
    headers = {name: response.headers[name] for name in STORED_HEADERS if name in response.headers}
    return StoredAnswer(response.status_code, headers, bytes(response.body).decode())


def replayed(answer: StoredAnswer, fresh: Mapping[str, str]) -> Response:
    """The stored answer, with `fresh` headers of this request."""
    return Response(answer.body, answer.status, {**fresh, **answer.headers, **REPLAYED})
