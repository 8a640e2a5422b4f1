"""Signing in with OpenID providers; the providers of the site."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from fastapi import Request, Response
from starlette.routing import Route

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.calls import SESSION, Call, Json, address_of
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import IdentityIdPath, ProviderIdPath
from adsvc.enums import KeyScope, Role
from adsvc.kit.security.openid import ProviderError
from adsvc.models.accounts import NO_PASSWORD
from adsvc.repositories.accounts import identities as identity_rows
from adsvc.repositories.accounts.sessions import PROVED_NOW
from adsvc.schemas.auth import TokenPair
from adsvc.schemas.identities import (
    AddIdentity,
    Identities,
    Identity,
    IdentityProvider,
    IdentityProviders,
    LinkIdentity,
    ProviderLogin,
    PutProvider,
)
from adsvc.services.accounts import identities, sessions
from adsvc.services.accounts.identities import LINK_SECONDS, Redirect, record_of
from adsvc.settings import Settings

logger = logging.getLogger("adsvc.identities")

login_router = Router("/login/oidc", tag="auth")
router = Router("/users/me/identities", tag="users", requires=SESSION)
providers_router = Router("/admin/providers", tag="admin", requires=KeyScope.ADMIN, role=Role.ADMIN)

NO_STORE = {"Cache-Control": "no-store"}


def _cookie_name(settings: Settings) -> str:
    # The prefix keeps other hosts of the domain from setting it (RFC 6265bis §4.1.3.2).
    return "__Host-adsvc-login" if settings.link_base.startswith("https:") else "adsvc-login"


def _stored(request: Request, settings: Settings) -> str:
    return request.cookies.get(_cookie_name(settings), "")


def _cookie(settings: Settings, value: str) -> Mapping[str, str]:
    """Lax, because the provider's page leads back here."""
    name, seconds = _cookie_name(settings), LINK_SECONDS if value else 0
    secure = "; Secure" if name.startswith("__Host-") else ""
    attributes = f"Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    return {**NO_STORE, "Set-Cookie": f"{name}={value}; {attributes}"}


Step = Callable[[AppState, Request, str], Awaitable[Redirect]]


def _leading(step: Step) -> Callable[[Request], Awaitable[Response]]:
    """A page that leads a browser on, or back to the storefront. Programs have no use for it, so
    the document does not have it.
    """

    async def lead(request: Request) -> Response:
        state: AppState = request.app.state.service
        if refusal := state.operator.refusal(is_change=True):
            raise refusal
        provider = request.path_params["provider"]
        try:
            url, stored = await step(state, request, provider)
        except ProviderError as error:
            # The person can only try again: the reason is for the operator.
            logger.warning("A login at the provider %s failed: %s", provider, error)
            url, stored = f"{state.provider_logins.page}#error=failed", ""
        headers = {"Location": url, **_cookie(state.settings, stored)}
        return Response(status_code=HTTPStatus.FOUND, headers=headers)

    return lead


async def _begin(state: AppState, request: Request, provider: str) -> Redirect:
    address = address_of(request.scope)
    return await state.provider_logins.begin(state.database, address, provider)


async def _finish(state: AppState, request: Request, provider: str) -> Redirect:
    answer = dict(request.query_params)
    if answer.get("error") == "access_denied":
        return Redirect(f"{state.provider_logins.page}#error=denied", "")
    address, stored = address_of(request.scope), _stored(request, state.settings)
    return await state.provider_logins.finish(state.database, address, provider, stored, answer)


routes = [
    Route("/login/oidc/{provider}", _leading(_begin)),
    Route("/login/oidc/{provider}/callback", _leading(_finish)),
]


@login_router.post(
    "",
    summary="Log in by the code of a provider's login",
    body=Json(ProviderLogin, adds_text=False),
    anonymous=True,
    refused_with=(
        *(errors.AccountSuspendedError, errors.InvalidChallengeError, errors.LinkRequiredError),
        *(errors.MailNotVerifiedError, errors.RateLimitedError, errors.RegistrationClosedError),
        *(errors.SecondFactorRequiredError, errors.InvitationRequiredError),
        errors.TermsMissingError,
    ),
)
async def log_in_by_provider(call: Call[ProviderLogin]) -> TokenPair:
    """Takes the code, begins a session and returns its tokens. A person whom no account knows gets
    a new one, without a password, if the provider has verified the mail address.

    With an authenticator app the answer is 401 `second-factor-required` with a `challenge`, as at
    `POST /login`. If the address is that of an account, it is 409 `link-required` with a
    `challenge`, and a mail has a link: either confirms at `POST /login/oidc/link` that the account
    is the person's. The code counts once, within ten minutes, in the browser that began the login.
    A new account needs `invitation` and `acceptedTerms` as at `POST /register`; a refusal for these
    does not use the code up.
    """
    state = call.state
    user = await state.provider_logins.log_in(
        call, state.challenges, _stored(call.request, call.settings), call.content
    )
    call.headers.update(_cookie(call.settings, ""))
    return await sessions.begin(call, state.tokens, user)


@login_router.post(
    "/link",
    summary="Confirm that a provider's person may use an account",
    body=Json(LinkIdentity, adds_text=False),
    anonymous=True,
    refused_with=(
        *(errors.AccountSuspendedError, errors.CodeRequiredError, errors.InvalidChallengeError),
        *(errors.InvalidTokenError, errors.OverloadedError, errors.RateLimitedError),
        *(errors.WrongCodeError, errors.WrongCredentialsError),
    ),
)
async def link_identity(call: Call[LinkIdentity]) -> TokenPair:
    """Links the person of a refused login to the account with the same mail address, begins a
    session and returns its tokens. The account gets a mail about it.

    The account's password confirms it, or the token of the mail; with an authenticator app a `code`
    is needed, too (403 `second-factor-required`). Only in the browser that began the login, within
    an hour. A wrong password counts as an attempt to log in.
    """
    state = call.state
    user = await state.provider_logins.link(
        call, state.credentials, _stored(call.request, call.settings), call.content
    )
    call.headers.update(_cookie(call.settings, ""))
    factor_at = PROVED_NOW if user.has_totp else None
    return await sessions.begin(call, state.tokens, user, factor_at=factor_at)


@router.get(
    "",
    summary="List what the caller signs in with at providers",
    account=True,
)
async def list_my_identities(call: Call[None]) -> Identities:
    """Returns all identities of the caller's account, the newest first."""
    async with call.database.autocommit() as session:
        found = await identity_rows.of_user(session, call.user.id)
    results = [Identity.model_validate(row) for row in found]
    return Identities(results=results, has_password=call.user.password_hash != NO_PASSWORD)


@router.post(
    "",
    summary="Add what the caller signs in with at a provider",
    fresh_factor=True,
    status=204,
    body=Json(AddIdentity, adds_text=False),
    refused_with=(
        *(errors.IdentityTakenError, errors.InvalidChallengeError, errors.LoginRequiredError),
        *(errors.OverloadedError, errors.WrongPasswordError),
    ),
)
async def add_identity(call: Call[AddIdentity]) -> None:
    """Adds the person of a completed login at a provider to the caller's account, which gets a
    mail. The mail address of that person may be another one.

    Only in the browser that began the login. The current password is needed, in an account without
    one a login of the last five minutes. A wrong one counts as an attempt to log in.
    """
    state, stored = call.state, _stored(call.request, call.settings)
    await state.provider_logins.add(call, state.credentials, stored, call.content)
    call.headers.update(_cookie(call.settings, ""))


@router.delete(
    "/{id}",
    summary="Remove what the caller signs in with at a provider",
    needs_terms=False,
    fresh_factor=True,
    limit=None,
    refused_with=(
        *(errors.IdentityNotFoundError, errors.LastSignInError, errors.WrongPasswordError),
    ),
)
async def delete_identity(call: Call[None], identity_id: IdentityIdPath) -> None:
    """Removes an identity of the caller's account, which gets a mail. The last way to sign in is
    refused.
    """
    await identities.remove(call, identity_id)


@providers_router.get(
    "",
    summary="List the OpenID providers",
    compressible=False,
)
async def list_providers(call: Call[None]) -> IdentityProviders:
    """Returns all OpenID providers of the site, without their secrets.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        found = await identity_rows.providers(session)
    return IdentityProviders(results=[record_of(call.settings, each) for each in found])


@providers_router.get(
    "/{id}",
    summary="Get an OpenID provider",
    compressible=False,
    refused_with=(errors.ProviderNotFoundError,),
)
async def get_provider(call: Call[None], provider: ProviderIdPath) -> IdentityProvider:
    """Returns an OpenID provider, without its secret.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        found = await identity_rows.provider(session, provider)
    if found is None:
        raise errors.ProviderNotFoundError
    return record_of(call.settings, found)


@providers_router.put(
    "/{id}",
    summary="Add or replace an OpenID provider",
    responses={
        201: {
            "description": "Created: there was no such provider",
            "model": IdentityProvider,
            "headers": {"Location": {}},
        }
    },
    refused_with=(errors.TooManyError,),
)
async def put_provider(call: Call[PutProvider], provider: ProviderIdPath) -> IdentityProvider:
    """Adds an OpenID provider, or replaces it, and returns it. The storefront shows a button for it
    within a second. The issuer is `https`, and that of no other provider; with another issuer the
    secret is needed again. The site may have 20.

    Administrators may. Counts towards the account's limit on changes.
    """
    if await identities.put_provider(call, provider, call.content):
        call.status = 201
        call.headers["Location"] = f"/admin/providers/{provider}"
    call.transaction.on_commit(call.state.operator.look)
    found = await identity_rows.provider(call.transaction, provider)
    if found is None:
        raise AssertionError
    return record_of(call.settings, found)


@providers_router.delete(
    "/{id}",
    summary="Delete an OpenID provider",
    refused_with=(errors.ProviderNotFoundError,),
)
async def delete_provider(call: Call[None], provider: ProviderIdPath) -> None:
    """Deletes an OpenID provider. Nobody signs in with it any more; sessions go on. What accounts
    had there counts again for a provider with the same issuer. An account without a password sets
    one up by `POST /password/forgot`.

    Administrators may. Counts towards the account's limit on changes.
    """
    await identities.delete_provider(call, provider)
    call.transaction.on_commit(call.state.operator.look)
