"""Passkeys (Web Authentication, Level 3): a login by the key pair of an authenticator.

webauthn is imported by the functions that need it: it takes 5 MiB, and few requests need it.
"""

import asyncio
import json
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from adsvc import errors
from adsvc.enums import AuditKind
from adsvc.invalidation import InvalidationKind
from adsvc.kit.addresses import client_network
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.bulkheads.pools import ThreadPool
from adsvc.kit.db.database import Database
from adsvc.kit.security.factors import (
    CHALLENGE_SECONDS,
    Challenge,
    ChallengePurpose,
    Challenges,
    require_plain,
    require_plain_authenticator_data,
)
from adsvc.models.accounts import Passkey, User
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.schemas.auth import (
    CreatePasskey,
    PasskeyCreationOptions,
    PasskeyLogin,
    PasskeyRequestOptions,
)
from adsvc.services import audit
from adsvc.services.accounts import factors
from adsvc.services.accounts.sessions import AccountRequest, ClientRequest, require_no_suspension
from adsvc.services.notifications import from_base64url
from adsvc.services.rate_limits import Limit, attempts_from, take
from adsvc.settings import Settings

if TYPE_CHECKING:
    from webauthn.authentication.verify_authentication_response import VerifiedAuthentication
    from webauthn.registration.verify_registration_response import VerifiedRegistration

# Of one account.
MOST_PASSKEYS = 20
HANDLE_BYTES = 8
ANYBODY = 0
# webauthn's `CredentialDeviceType.MULTI_DEVICE`.
MULTI_DEVICE = "multi_device"
# A verification takes milliseconds.
VERIFY_SECONDS = 10.0

T = TypeVar("T")


def rp_id(settings: Settings) -> str:
    """The host that passkeys are for. If it changes, they are of no use."""
    return urlsplit(settings.link_base).hostname or ""


def _handle(user_id: int) -> bytes:
    """Ids of accounts are public, so they may stand for the account."""
    return user_id.to_bytes(HANDLE_BYTES)


async def _import_webauthn() -> None:
    """In a thread: the first import takes longer than a request may hold the event loop."""
    await asyncio.to_thread(import_module, "webauthn")


async def registration_options(
    database: Database, challenges: Challenges, settings: Settings, user: CallerAccount
) -> PasskeyCreationOptions:
    await _import_webauthn()
    from webauthn import generate_registration_options  # noqa: PLC0415
    from webauthn.helpers import options_to_json_dict  # noqa: PLC0415
    from webauthn.helpers.structs import (  # noqa: PLC0415
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    async with database.autocommit() as session:
        known = await factor_rows.passkeys(session, user.id)
    purpose = ChallengePurpose.PASSKEY_REGISTRATION
    options = generate_registration_options(
        rp_id=rp_id(settings),
        rp_name=settings.site_name,
        user_id=_handle(user.id),
        user_name=user.username,
        challenge=challenges.issue(purpose, user.id, user.password_hash).encode(),
        timeout=CHALLENGE_SECONDS * 1000,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=one.credential_id) for one in known],
    )
    return PasskeyCreationOptions.model_validate(
        {"excludeCredentials": [], **options_to_json_dict(options)}
    )


async def register(
    request: AccountRequest, challenges: Challenges, pool: ThreadPool, sent: CreatePasskey
) -> Passkey:
    """Adds a passkey, and ends all other sessions. `InvalidPasskeyError`, `TooManyError`, or
    `OverloadedError`.
    """
    transaction, settings, user = request.transaction, request.settings, request.user
    try:
        text = await _use_registration(transaction.database, challenges, user, sent)
    except errors.InvalidChallengeError:
        raise errors.InvalidPasskeyError(
            "its challenge is not valid, was used or has expired"
        ) from None
    verified = await _in_thread(
        pool,
        Client.of(user.id, request.address),
        lambda: _verified_registration(settings, text, sent),
        errors.InvalidPasskeyError(
            "must be what an authenticator made for this site, with its user verified"
        ),
    )
    await factors.locked(request)
    if len(await factor_rows.passkeys(transaction, user.id)) >= MOST_PASSKEYS:
        raise errors.TooManyError(MOST_PASSKEYS, "passkeys of an account")
    passkey = await factor_rows.add_passkey(
        transaction,
        user.id,
        name=sent.name,
        credential_id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        backup_eligible=verified.credential_device_type.value == MULTI_DEVICE,
        backed_up=verified.credential_backed_up,
        rp_id=rp_id(settings),
        session_id=request.session_id,
    )
    if passkey is None:
        raise errors.InvalidPasskeyError("is registered already")
    await factors.end_others(request)
    await factors.note(transaction, user.id, AuditKind.PASSKEY_ADDED, actor=user.id)
    return passkey


async def _use_registration(
    database: Database, challenges: Challenges, user: CallerAccount, sent: CreatePasskey
) -> bytes:
    """The challenge as the browser was given it."""
    purpose = ChallengePurpose.PASSKEY_REGISTRATION
    text, challenge = _challenge_of(challenges, sent.response.client_data_json, purpose)
    is_theirs = challenge.user_id == user.id
    if not (is_theirs and challenges.is_for(challenge, user.password_hash)):
        raise errors.InvalidChallengeError
    async with database.autocommit() as session:
        await factors.use_challenge(session, challenge)
    return text


async def remove(request: AccountRequest, passkey_id: int) -> None:
    transaction, user = request.transaction, request.user
    current = await factors.locked(request)
    if not await factor_rows.remove_passkeys(transaction, user.id, passkey_id):
        raise errors.PasskeyNotFoundError
    await factors.require_way_in(transaction, current)
    if not current.has_totp and not await factor_rows.passkeys(transaction, user.id):
        await session_rows.forget_factor(transaction, user.id)
    transaction.announce(InvalidationKind.USER, user.id)
    await factors.note(transaction, user.id, AuditKind.PASSKEY_REMOVED, actor=user.id)


async def login_options(challenges: Challenges, settings: Settings) -> PasskeyRequestOptions:
    """The same for everybody: the authenticator knows the account."""
    await _import_webauthn()
    from webauthn import generate_authentication_options  # noqa: PLC0415
    from webauthn.helpers import options_to_json_dict  # noqa: PLC0415
    from webauthn.helpers.structs import UserVerificationRequirement  # noqa: PLC0415

    challenge = challenges.issue(ChallengePurpose.PASSKEY_LOGIN, ANYBODY, "")
    options = generate_authentication_options(
        rp_id=rp_id(settings),
        challenge=challenge.encode(),
        timeout=CHALLENGE_SECONDS * 1000,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return PasskeyRequestOptions.model_validate(options_to_json_dict(options))


async def log_in(
    request: ClientRequest, challenges: Challenges, pool: ThreadPool, sent: PasskeyLogin
) -> User:
    """The user whose passkey it is; `InvalidChallengeError`, `WrongPasskeyError`, or
    `OverloadedError`.
    """
    database, settings = request.transaction.database, request.settings
    address = request.address
    await take(database, settings, *attempts_from(Limit.LOGIN_PASSKEY, address))
    text, challenge = _challenge_of(
        challenges, sent.response.client_data_json, ChallengePurpose.PASSKEY_LOGIN
    )
    async with database.autocommit() as session:
        credential_id = _checked(lambda: from_base64url(sent.raw_id), errors.WrongPasskeyError())
        passkey = await factor_rows.passkey(session, credential_id)
        user = None if passkey is None else await user_rows.get(session, passkey.user_id)
    if passkey is None or user is None:
        raise errors.WrongPasskeyError
    try:
        verified = await _in_thread(
            pool,
            # As with passwords: strangers leave the owner's own share free.
            Client.of((client_network(address), user.id), address),
            lambda: _verified_login(settings, passkey, text, sent),
            errors.WrongPasskeyError(),
        )
    except errors.WrongPasskeyError:
        await audit.report(database, AuditKind.LOGIN_FAILED, target=user.id)
        raise
    # One transaction: a refusal uses up neither the challenge nor a step of the counter.
    async with database.transaction() as transaction:
        await factors.use_challenge(transaction, challenge)
        used = await factor_rows.use_passkey(
            transaction,
            passkey.id,
            verified.new_sign_count,
            backed_up=verified.credential_backed_up,
        )
        if not used:
            raise errors.WrongPasskeyError
        await require_no_suspension(transaction, user)
    return user


def _verified_registration(
    settings: Settings, challenge: bytes, sent: CreatePasskey
) -> "VerifiedRegistration":
    from webauthn import verify_registration_response  # noqa: PLC0415
    from webauthn.helpers import parse_cbor  # noqa: PLC0415

    attestation = from_base64url(sent.response.attestation_object)
    require_plain(attestation)
    require_plain_authenticator_data(parse_cbor(attestation)["authData"])
    return verify_registration_response(
        credential=_credential(sent),
        expected_challenge=challenge,
        expected_rp_id=rp_id(settings),
        expected_origin=settings.link_base,
        require_user_verification=True,
    )


def _verified_login(
    settings: Settings, passkey: Passkey, challenge: bytes, sent: PasskeyLogin
) -> "VerifiedAuthentication":
    from webauthn import verify_authentication_response  # noqa: PLC0415

    require_plain_authenticator_data(from_base64url(sent.response.authenticator_data))
    # One that was added before tags were refused may have some.
    require_plain(passkey.public_key)
    verified = verify_authentication_response(
        credential=_credential(sent),
        expected_challenge=challenge,
        expected_rp_id=rp_id(settings),
        expected_origin=settings.link_base,
        credential_public_key=passkey.public_key,
        credential_current_sign_count=passkey.sign_count,
        require_user_verification=True,
    )
    if from_base64url(sent.response.user_handle) != _handle(passkey.user_id):
        raise errors.WrongPasskeyError
    return verified


async def _in_thread(
    pool: ThreadPool, client: Client, check: Callable[[], T], refusal: Exception
) -> T:
    """What the check returns, or the refusal. `OverloadedError` if no thread is free in time."""
    try:
        async with asyncio.timeout(VERIFY_SECONDS), pool.slot(client) as slot:
            return await slot.run(_checked, check, refusal)
    except TimeoutError:
        raise errors.OverloadedError from None


def _challenge_of(
    challenges: Challenges, client_data: str, purpose: ChallengePurpose
) -> tuple[bytes, Challenge]:
    """The challenge that the browser was given, as bytes and read."""

    def found() -> str:
        text: str = json.loads(from_base64url(client_data))["challenge"]
        return from_base64url(text).decode("ascii")

    text = _checked(found, errors.InvalidChallengeError())
    return text.encode(), challenges.read(text, purpose)


def _credential(sent: CreatePasskey | PasskeyLogin) -> dict[str, Any]:
    return sent.model_dump(mode="json", by_alias=True, exclude={"name"})


def _checked(check: Callable[[], T], refusal: Exception) -> T:
    try:
        return check()
    except Exception:  # noqa: BLE001 - parsers of what strangers send raise anything
        raise refusal from None
