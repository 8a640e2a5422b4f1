"""Who is calling, and what their credentials are good for.

Credentials are a bearer token (RFC 6750) of a session, a key, or, where the operator allows it,
HTTP Basic. Each operation says what a key needs for it: a scope, or that no key is enough.
"""

import base64
import binascii
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from fastapi.security import HTTPBearer
from fastapi.security.http import HTTPBase
from starlette.datastructures import Headers
from starlette.types import Scope

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.enums import KeyScope, Role
from adsvc.kit.addresses import unmapped
from adsvc.kit.security.factors import ChallengePurpose
from adsvc.kit.security.tokens import KEY_MARK, KeySecret, KnownCaller
from adsvc.repositories.accounts import callers as caller_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount, FactorProof
from adsvc.services.accounts import keys
from adsvc.services.accounts.credentials import checked_login
from adsvc.services.rate_limits import Limit, attempts_from, policies_of
from adsvc.settings import FactorRequired, MailRequired


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
            caller = await _by_password(state, value.strip(), address_of(scope))
            _keep(state, authorization, caller, begun)
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


def _keep(state: AppState, authorization: str, caller: CallerWithAccount, begun: int) -> None:
    """Caches the caller for as long as the pair is verified and the account unchanged."""
    if lacks_factor(state, caller):
        return
    cache, value = state.credential_cache, authorization.partition(" ")[2].strip()
    expires_at = time.time() + cache.seconds_left(*_decode(value))
    known = KnownCaller(
        *(caller.user_id, None, expires_at, caller.is_admin, caller.has_verified_mail, caller.plan)
    )
    state.token_cache.keep_known(cache.key_of(authorization), known, begun)


def known_caller(state: AppState, authorization: str) -> KnownCaller | None:
    """The caller, if the cache has them."""
    known = state.token_cache.get(authorization)
    if known is None and state.settings.http_basic and authorization[:6].lower() == "basic ":
        known = state.token_cache.get(state.credential_cache.key_of(authorization))
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
    if not lacks_factor(state, caller):
        known = KnownCaller(
            *(caller.user_id, claims.session_id, claims.expires_at),
            *(caller.is_admin, caller.has_verified_mail, caller.plan),
        )
        state.token_cache.keep_known(f"Bearer {text}", known, begun)
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
    known = KnownCaller(
        *(user.id, None, time.time() + seconds, caller.is_admin, user.mail_verified, caller.plan),
        key_id=key.id,
        scopes=caller.scopes,
    )
    if not lacks_factor(state, caller):
        state.token_cache.keep_known(f"Bearer {text}", known, begun)
    return caller


async def _by_password(state: AppState, value: str, address: str) -> CallerWithAccount:
    username, password = _decode(value)
    user = await _cached(state, username, password)
    if user is None:
        # A page sends many requests at once: the first one verifies the pair, the others wait.
        async with state.credential_cache.lock(username, password):
            user = await _cached(state, username, password) or await _verified(
                state, username, password, address
            )
    if user.has_totp:
        raise errors.SecondFactorRequiredError(detail=NO_BASIC)
    return CallerWithAccount(user, None)


async def _cached(state: AppState, username: str, password: str) -> CallerAccount | None:
    verified = state.credential_cache.get(username, password)
    if verified is None:
        return None
    async with state.database.autocommit() as session:
        user = await user_rows.get_unless_suspended(session, verified.user_id)
    if user is None or user.password_hash != verified.password_hash:
        return None
    return CallerAccount.of(user)


async def _verified(state: AppState, username: str, password: str, address: str) -> CallerAccount:
    """A pair that was wrong, and still is, is refused without counting as another guess."""
    settings, cache = state.settings, state.credential_cache
    stored = await _stored_hash(state, username)
    if cache.is_wrong(username, password, stored):
        raise errors.WrongCredentialsError
    try:
        login = checked_login(username, password, settings)
        user = await state.credentials.authenticate_request(login, address=address)
    except errors.WrongCredentialsError as error:
        if isinstance(error.__cause__, errors.AccountSuspendedError):
            # The pair is right. The suspension may end while it is cached.
            raise
        seconds = settings.login_window_seconds
        cache.keep_wrong(username, password, password_hash=stored, seconds=seconds)
        raise
    cache.keep(username, password, user_id=user.id, password_hash=user.password_hash)
    return CallerAccount.of(user)


async def _stored_hash(state: AppState, username: str) -> str | None:
    if len(username) > state.settings.username_max_length:
        return None
    async with state.database.autocommit() as session:
        user = await user_rows.get_by_username(session, username)
    return user.password_hash if user else None


def _decode(value: str) -> tuple[str, str]:
    try:
        raw = base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        raise errors.UnauthenticatedError from None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        # Pages encode them by `btoa`, which accepts Latin-1 only.
        text = raw.decode("latin-1")
    username, _, password = text.partition(":")
    if "\0" in text:
        raise errors.UnauthenticatedError
    return username, password


NO_BASIC = "HTTP Basic is not accepted for accounts with a second factor: use a key."

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
