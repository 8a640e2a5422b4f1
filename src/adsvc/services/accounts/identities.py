"""Signing in with OpenID providers (docs/interface.md, "Sign in with others").

Of a login that has begun the service stores nothing but which of its secrets were used: the rest is
in a cookie of the browser, encrypted.
"""

import base64
import binascii
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from adsvc import errors
from adsvc.enums import AuditKind, TokenPurpose
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.faults import missing, wrong_format
from adsvc.kit.http.outbound import ForbiddenAddressError
from adsvc.kit.security.encryption import Encryption, UnreadableSecretError
from adsvc.kit.security.factors import ChallengePurpose, Challenges
from adsvc.kit.security.openid import OpenId, ProviderClient, ProviderError, Secrets, checked_issuer
from adsvc.kit.security.tokens import LinkToken
from adsvc.models.accounts import NO_PASSWORD, Provider, User
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.accounts import identities as identity_rows
from adsvc.repositories.accounts import mail_tokens as token_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.operation.server import PROVIDERS
from adsvc.schemas.auth import NewAccount
from adsvc.schemas.base import fault_of, normalised
from adsvc.schemas.identities import (
    AddIdentity,
    IdentityProvider,
    LinkIdentity,
    ProviderLogin,
    PutProvider,
)
from adsvc.services import audit, rate_limits
from adsvc.services.accounts import factors, users
from adsvc.services.accounts.credentials import Credentials, checked_login
from adsvc.services.accounts.sessions import AccountRequest, ClientRequest, require_no_suspension
from adsvc.services.mail import rendering
from adsvc.services.rate_limits import Limit, attempts_from
from adsvc.settings import Settings

MOST_PROVIDERS = 20
# Within so many seconds a person comes back from the provider, the storefront sends the code, for
# which the person may have terms to read, and the account is linked.
LOGIN_SECONDS, CODE_SECONDS, LINK_SECONDS = 600, 600, 3600


@dataclass(frozen=True, slots=True)
class BegunLogin:
    """A login at a provider, as the cookie has it."""

    provider: str
    issuer: str
    state: str
    nonce: str
    verifier: str
    began_at: float

    seconds = LOGIN_SECONDS


@dataclass(frozen=True, slots=True)
class ProvedLogin:
    """What the provider has said, as the cookie has it. `mail` is one that it has verified."""

    provider: str
    name: str
    issuer: str
    subject: str
    mail: str | None
    code: str
    challenge: str
    began_at: float

    seconds = LINK_SECONDS


class Redirect(NamedTuple):
    url: str
    # For the cookie.
    stored: str


Flow = TypeVar("Flow", BegunLogin, ProvedLogin)


class ProviderLogins:
    """Logins at the providers of the site, from the button to the account."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._openid = OpenId(allows_loopback=settings.development)
        keys = settings.jwt_secrets()
        self._encryptions: Mapping[type, Encryption] = {
            kind: Encryption(*keys, kind=f"logins: {kind.__name__}")
            for kind in (BegunLogin, ProvedLogin)
        }

    async def begin(self, database: Database, address: str, slug: str) -> Redirect:
        """To the provider. `ProviderNotFoundError`, or a `ProviderError`."""
        client, _ = await self._client(database, address, slug)
        own = Secrets.new()
        url = await self._openid.authorization_url(client, own)
        begun = BegunLogin(slug, client.issuer, own.state, own.nonce, own.verifier, time.time())
        return Redirect(url, self._sealed(begun))

    async def finish(
        self, database: Database, address: str, slug: str, stored: str, answer: Mapping[str, str]
    ) -> Redirect:
        """From the provider, with the code for `log_in`. Errors are those of `begin`."""
        client, provider = await self._client(database, address, slug)
        begun = self._opened(BegunLogin, stored)
        if begun is None or (begun.provider, begun.issuer) != (slug, client.issuer):
            raise ProviderError("This browser has begun no login there.")
        own = Secrets(begun.state, begun.nonce, begun.verifier)
        try:
            async with database.autocommit() as session:
                await self._use(session, begun, begun.state)
        except errors.InvalidChallengeError:
            raise ProviderError("The login was completed before.") from None
        person = await self._openid.person(client, own, answer)
        mail = normalised(person.mail) if person.mail and person.is_verified else None
        code, challenge = (secrets.token_urlsafe(32) for _ in range(2))
        known = slug, provider.name, client.issuer, person.subject, mail, code, challenge
        return Redirect(f"{self.page}#code={code}", self._sealed(ProvedLogin(*known, time.time())))

    async def log_in(
        self, request: ClientRequest, challenges: Challenges, stored: str, sent: ProviderLogin
    ) -> User:
        """The account of the person; a new one if there is none.

        The code is used up by a refusal that has a challenge, too. `InvalidChallengeError`,
        `SecondFactorRequiredError`, `LinkRequiredError`, `AccountSuspendedError`, or as
        `users.require_open`, `users.require_admission` and `users.admit`.
        """
        database = request.transaction.database
        proved = self._completed(stored, sent.code)
        async with database.autocommit() as session:
            user = await identity_rows.user_of(session, proved.issuer, proved.subject)
            owner = None
            if user is None and proved.mail is not None:
                owner = await identity_rows.user_with_mail(session, proved.mail)
        if user is not None and user.has_totp:
            async with database.autocommit() as session:
                await self._use(session, proved, proved.code)
            challenge = challenges.issue(ChallengePurpose.LOGIN, user.id, user.password_hash)
            raise errors.SecondFactorRequiredError(challenge)
        if owner is not None:
            await self._request_link(request, proved, owner)
            raise errors.LinkRequiredError(proved.challenge)
        if user is None:
            return await self._register(request, proved, sent)
        async with database.transaction() as transaction:
            await self._use(transaction, proved, proved.code)
            await require_no_suspension(transaction, user)
            await identity_rows.note_use(transaction, proved.issuer, proved.subject)
        return user

    async def add(
        self, request: AccountRequest, credentials: Credentials, stored: str, sent: AddIdentity
    ) -> None:
        """Adds the person of a completed login to the caller's account.

        `InvalidChallengeError`, `IdentityTakenError`, or as `Credentials.require_password`.
        """
        proved = self._completed(stored, sent.code)
        await credentials.require_password(request, sent.current_password)
        transaction, user = request.transaction, request.user
        await factors.locked(request)
        await self._use(transaction, proved, proved.code)
        if await identity_rows.user_of(transaction, proved.issuer, proved.subject) is not None:
            raise errors.IdentityTakenError
        await self._add(transaction, user.id, proved)
        await factors.note(transaction, user.id, AuditKind.IDENTITY_ADDED, actor=user.id)

    def _completed(self, stored: str, code: str) -> ProvedLogin:
        """`InvalidChallengeError` if the code is not that of a login of the last ten minutes."""
        proved = self._opened(ProvedLogin, stored)
        is_late = proved is None or proved.began_at + CODE_SECONDS < time.time()
        if proved is None or is_late or not _same(code, proved.code):
            raise errors.InvalidChallengeError
        return proved

    async def link(
        self, request: ClientRequest, credentials: Credentials, stored: str, sent: LinkIdentity
    ) -> User:
        """The account that the person may use from now on. The confirmation is its password, or the
        token of the mail, and the second factor if it has one.
        """
        proved = self._opened(ProvedLogin, stored)
        if proved is None or proved.mail is None:
            raise errors.InvalidChallengeError
        counts = attempts_from(Limit.LOGIN_OIDC, request.address)
        await rate_limits.take(request.transaction.database, request.settings, *counts)
        token = LinkToken(sent.token) if "token" in sent.model_fields_set else None
        user = await self._confirming(request, credentials, proved, sent, token)
        if user.has_totp:
            if "code" not in sent.model_fields_set:
                raise errors.CodeRequiredError
            await factors.require_code(request, user, sent.code, session_id=None)
        async with request.transaction.database.transaction() as transaction:
            current = await user_rows.lock(transaction, user.id)
            known = user.password_hash, user.has_totp, proved.mail, True
            if current is None or known != (
                *(current.password_hash, current.has_totp),
                *(current.mail, current.mail_verified),
            ):
                # It has changed meanwhile.
                raise errors.InvalidChallengeError
            if token is not None:
                address = await token_rows.take(transaction, token.hash, TokenPurpose.LINK)
                if address != proved.mail:
                    raise errors.InvalidTokenError
            await require_no_suspension(transaction, current)
            if user.has_totp:
                await factors.use_code(transaction, request.settings, user.id, sent.code)
            await self._use(transaction, proved, proved.challenge)
            await self._add(transaction, user.id, proved)
            await factors.note(transaction, user.id, AuditKind.IDENTITY_ADDED, actor=user.id)
        return current

    async def _confirming(
        self,
        request: ClientRequest,
        credentials: Credentials,
        proved: ProvedLogin,
        sent: LinkIdentity,
        token: LinkToken | None,
    ) -> User:
        """The account whose token or password was sent. No connection is in use afterwards."""
        async with request.transaction.database.autocommit() as session:
            if token is not None:
                owner = await token_rows.owner(session, token.hash, TokenPurpose.LINK)
                user = None if owner is None else await user_rows.get(session, owner)
                if user is None:
                    raise errors.InvalidTokenError
                return user
            user = await identity_rows.user_with_mail(session, proved.mail or "")
        sent_members = sent.model_fields_set
        if faults := [
            missing().at(f"/{name}")
            for name, member in (
                ("challenge", "challenge"),
                ("currentPassword", "current_password"),
            )
            if member not in sent_members
        ]:
            raise errors.InvalidRequestError(*faults)
        if user is None or not _same(sent.challenge, proved.challenge):
            raise errors.InvalidChallengeError
        login = checked_login(user.username, sent.current_password, request.settings)
        return (await credentials.authenticate(login, address=request.address)).user

    async def _request_link(self, request: ClientRequest, proved: ProvedLogin, owner: User) -> None:
        """Sends the mail, unless too many were sent, and uses the code up."""
        database, settings, mail = request.transaction.database, request.settings, owner.mail or ""
        counts = (
            rate_limits.to_mailbox(mail),
            *attempts_from(Limit.MAILS_BY_ADDRESS, request.address),
        )
        gets_mail = await rate_limits.try_take(database, settings, *counts)
        async with database.transaction() as transaction:
            await self._use(transaction, proved, proved.code)
            if gets_mail:
                language = request.language or owner.language
                entry = rendering.linking(owner.id, mail, language, proved.name)
                await outbox_rows.add(transaction, entry)

    async def _register(
        self, request: ClientRequest, proved: ProvedLogin, sent: NewAccount
    ) -> User:
        """A new account with that mail address and without a password.

        Another account may have the address as its name, unverified: whoever has made that one gets
        nothing of this one, which then has a name of its own.
        """
        database, mail = request.transaction.database, proved.mail
        users.require_open(request.settings)
        if mail is None:
            raise errors.MailNotVerifiedError
        users.require_admission(request.settings, sent)
        counts = attempts_from(Limit.REGISTRATIONS, request.address)
        await rate_limits.take(database, request.settings, *counts)
        fits = fault_of(mail) is None and len(mail) <= request.settings.username_max_length
        names = [*([mail] if fits else []), f"{proved.provider}-{secrets.token_hex(5)}"]
        async with database.transaction() as transaction:
            await self._use(transaction, proved, proved.code)
            user = None
            for name in names:
                user = user or await user_rows.add(
                    transaction,
                    name,
                    NO_PASSWORD,
                    first_name="",
                    last_name="",
                    phone="",
                    mail=mail,
                    language=request.language,
                )
            if user is None:
                raise errors.UsernameTakenError
            await users.admit(transaction, request.settings, user.id, sent)
            await user_rows.update_user(transaction, user.id, {"mail_verified": True})
            await self._add(transaction, user.id, proved)
            audit.record(transaction, AuditKind.IDENTITY_ADDED, actor=user.id, target=user.id)
        return user

    async def _add(self, transaction: Transaction, user_id: int, proved: ProvedLogin) -> None:
        added = await identity_rows.add(transaction, user_id, proved.issuer, proved.subject)
        if not added:
            # Another login of the same person came first.
            raise errors.InvalidChallengeError
        await identity_rows.note_use(transaction, proved.issuer, proved.subject)
        transaction.announce(InvalidationKind.USER, user_id)

    async def _client(
        self, database: Database, address: str, slug: str
    ) -> tuple[ProviderClient, Provider]:
        """Counts a step of a login, too. No connection is in use afterwards."""
        settings = self._settings
        await rate_limits.take(database, settings, *attempts_from(Limit.LOGIN_OIDC, address))
        async with database.autocommit() as session:
            provider = await identity_rows.provider(session, slug)
        if provider is None:
            raise errors.ProviderNotFoundError
        try:
            secret = _encryption(settings).decrypted(provider.client_secret).decode()
        except UnreadableSecretError as error:
            raise ProviderError(f"{error} Set it anew.") from None
        redirect_uri = redirect_uri_of(settings, slug)
        return ProviderClient(provider.issuer, provider.client_id, secret, redirect_uri), provider

    @property
    def page(self) -> str:
        """Where people come back to in the storefront: the only place."""
        return f"{self._settings.link_base}/account/provider"

    @staticmethod
    async def _use(session: DatabaseSession, stored: BegunLogin | ProvedLogin, secret: str) -> None:
        """`InvalidChallengeError` if it was used before."""
        expires_at = datetime.fromtimestamp(stored.began_at + stored.seconds, UTC)
        if not await factor_rows.use_challenge(session, secret, expires_at):
            raise errors.InvalidChallengeError

    def _sealed(self, stored: BegunLogin | ProvedLogin) -> str:
        text = json.dumps(asdict(stored)).encode()
        return base64.urlsafe_b64encode(self._encryptions[type(stored)].encrypted(text)).decode()

    def _opened(self, kind: type[Flow], text: str) -> Flow | None:
        """None if it is not one of these, or has expired."""
        try:
            sealed = base64.urlsafe_b64decode(text)
            stored = kind(**json.loads(self._encryptions[kind].decrypted(sealed)))
        except (UnreadableSecretError, binascii.Error, ValueError, TypeError):
            return None
        return stored if time.time() < stored.began_at + stored.seconds else None


def _same(sent: str, known: str) -> bool:
    return hmac.compare_digest(sent.encode(), known.encode())


def _encryption(settings: Settings) -> Encryption:
    return Encryption(*settings.jwt_secrets(), kind=PROVIDERS)


def redirect_uri_of(settings: Settings, slug: str) -> str:
    return f"{settings.link_base}/login/oidc/{slug}/callback"


def record_of(settings: Settings, provider: Provider) -> IdentityProvider:
    return IdentityProvider(
        id=provider.slug,
        name=provider.name,
        issuer=provider.issuer,
        client_id=provider.client_id,
        redirect_uri=redirect_uri_of(settings, provider.slug),
    )


async def put_provider(request: AccountRequest, slug: str, sent: PutProvider) -> bool:
    """Whether it is new. Raises the faults of `sent`, or `TooManyError`."""
    transaction, settings = request.transaction, request.settings
    try:
        checked_issuer(sent.issuer, allows_loopback=settings.development)
    except ForbiddenAddressError as error:
        raise errors.InvalidRequestError(wrong_format(str(error)).at("/issuer")) from error
    values: dict[str, Any] = sent.model_dump(include={"name", "issuer", "client_id"})
    known = await identity_rows.provider(transaction, slug)
    if "client_secret" in sent.model_fields_set:
        values["client_secret"] = _encryption(settings).encrypted(sent.client_secret.encode())
    elif known is None or known.issuer != sent.issuer:
        # The secret of one provider is not to be sent to another one.
        raise errors.InvalidRequestError(missing().at("/clientSecret"))
    if known is None and len(await identity_rows.providers(transaction)) >= MOST_PROVIDERS:
        raise errors.TooManyError(MOST_PROVIDERS, "providers")
    is_new = await identity_rows.put_provider(transaction, slug, values)
    if is_new is None:
        fault = wrong_format("must not be that of another provider of the site")
        raise errors.InvalidRequestError(fault.at("/issuer"))
    event = AuditKind.PROVIDER_CHANGED
    audit.record(transaction, event, actor=request.user.id, target=slug)
    return is_new


async def delete_provider(request: AccountRequest, slug: str) -> None:
    transaction = request.transaction
    if not await identity_rows.delete_provider(transaction, slug):
        raise errors.ProviderNotFoundError
    event = AuditKind.PROVIDER_DELETED
    audit.record(transaction, event, actor=request.user.id, target=slug)


async def remove(request: AccountRequest, identity_id: int) -> None:
    """`IdentityNotFoundError`, or `LastSignInError`."""
    transaction, user = request.transaction, request.user
    current = await factors.locked(request)
    if not await identity_rows.remove(transaction, user.id, identity_id):
        raise errors.IdentityNotFoundError
    await factors.require_way_in(transaction, current)
    transaction.announce(InvalidationKind.USER, user.id)
    await factors.note(transaction, user.id, AuditKind.IDENTITY_REMOVED, actor=user.id)
