"""Second factors: authenticator apps and recovery codes."""

import logging
import time
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from functools import partial

from adsvc import errors
from adsvc.enums import AuditKind
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.security.encryption import Encryption, UnreadableSecretError
from adsvc.kit.security.factors import (
    Challenge,
    ChallengePurpose,
    Challenges,
    TotpSecret,
    is_totp,
    new_recovery_codes,
    plain_code,
    recovery_hash,
)
from adsvc.models.accounts import NO_PASSWORD, User
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.accounts import identities as identity_rows
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.operation.server import APPS
from adsvc.schemas.auth import ConfirmedTotp, CreatedTotp, SecondFactor
from adsvc.services import audit
from adsvc.services.accounts.credentials import login_attempt
from adsvc.services.accounts.sessions import AccountRequest, ClientRequest, require_no_suspension
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.rate_limits import Limit, attempts_by, try_take
from adsvc.settings import Settings

logger = logging.getLogger("adsvc.factors")

NOTHING_PENDING = "Nothing is to be confirmed; begin with POST /users/me/totp."
NO_TOTP = "No authenticator app is set up."


def _encryption(settings: Settings) -> Encryption:
    return Encryption(*settings.jwt_secrets(), kind=APPS)


async def begin_totp(request: AccountRequest, code: str | None) -> CreatedTotp:
    """A new secret, which counts once it is confirmed. Until then the one before counts."""
    transaction, settings, user = request.transaction, request.settings, request.user
    if user.has_totp:
        if code is None:
            raise errors.FactorAlreadySetError
        await require_code(request, user, code, session_id=request.session_id)
    current = await locked(request)
    if current.has_totp and not user.has_totp:
        # Another request has just confirmed one.
        raise errors.FactorAlreadySetError
    if user.has_totp and code is not None:
        await use_code(transaction, settings, user.id, code)
    secret = TotpSecret.new()
    pending = _encryption(settings).encrypted(secret.value, owner=user.id)
    await factor_rows.set_pending(transaction, user.id, pending)
    return CreatedTotp(secret=secret.text, uri=secret.uri(user.username, settings.site_name))


async def confirm_totp(request: AccountRequest, code: str) -> ConfirmedTotp:
    """Sets the pending secret, makes new recovery codes, and ends all other sessions."""
    transaction, user, session_id = request.transaction, request.user, request.session_id
    database = transaction.database
    async with database.autocommit() as session:
        totp = await factor_rows.totp(session, user.id)
    pending = None if totp is None else totp.pending
    if pending is None:
        raise errors.NotFoundError(NOTHING_PENDING)
    async with _attempt(request, user, session_id):
        step = _step_of(request.settings, user.id, pending, plain_code(code))
        if step is None:
            await _report_wrong(database, user)
            raise errors.WrongCodeError
    await locked(request)
    if not await factor_rows.confirm(transaction, user.id, pending, step, session_id=session_id):
        raise errors.NotFoundError(NOTHING_PENDING)
    codes = new_recovery_codes()
    await factor_rows.replace_codes(
        transaction, user.id, [recovery_hash(plain_code(each)) for each in codes]
    )
    await end_others(request)
    await note(transaction, user.id, AuditKind.TOTP_SET, actor=user.id)
    return ConfirmedTotp(recovery_codes=codes)


async def remove_totp(request: AccountRequest, code: str) -> None:
    transaction, user = request.transaction, request.user
    if not user.has_totp:
        raise errors.NotFoundError(NO_TOTP)
    await require_code(request, user, code, session_id=request.session_id)
    current = await locked(request)
    if not current.has_totp:
        raise errors.NotFoundError(NO_TOTP)
    await use_code(transaction, request.settings, user.id, code)
    await factor_rows.remove_totp(transaction, user.id)
    if not current.has_passkey:
        await session_rows.forget_factor(transaction, user.id)
    transaction.announce(InvalidationKind.USER, user.id)
    await note(transaction, user.id, AuditKind.TOTP_REMOVED, actor=user.id)


async def reset(transaction: Transaction, user: User, *, actor: str) -> None:
    """For operators: removes all factors, and ends all sessions."""
    await factor_rows.remove_totp(transaction, user.id)
    await factor_rows.remove_passkeys(transaction, user.id)
    await session_rows.end_all(transaction, user.id)
    await note(transaction, user.id, AuditKind.FACTORS_RESET, actor=actor)


async def remove_added_since(transaction: Transaction, user_id: int, moment: datetime) -> None:
    """Removes the factors that sessions from that moment on have added, and identities.

    The account gets a mail about each.
    """
    had_app, passkeys = await factor_rows.remove_added_since(transaction, user_id, moment)
    identities = await identity_rows.remove_added_since(transaction, user_id, moment)
    for event in (
        *[AuditKind.TOTP_REMOVED] * had_app,
        *[AuditKind.PASSKEY_REMOVED] * passkeys,
        *[AuditKind.IDENTITY_REMOVED] * identities,
    ):
        await note(transaction, user_id, event, actor=user_id)


async def complete_login(
    request: ClientRequest, challenges: Challenges, sent: SecondFactor
) -> User:
    """The user whose password and code are right.

    Raises `InvalidChallengeError`, `WrongFactorError` or `AccountSuspendedError`. The code and the
    challenge are used up by one transaction, so a refusal uses up neither.
    """
    database, settings = request.transaction.database, request.settings
    challenge = challenges.read(sent.challenge, ChallengePurpose.LOGIN)
    async with database.autocommit() as session:
        user = await user_rows.get(session, challenge.user_id)
        is_used = await factor_rows.is_used(session, challenge.id)
    if (
        user is None
        or is_used
        or not user.has_totp
        or not challenges.is_for(challenge, user.password_hash)
    ):
        raise errors.InvalidChallengeError
    async with (
        challenges.lock(user.id),
        _attempt(request, user, session_id=None),
        database.transaction() as transaction,
    ):
        await use_challenge(transaction, challenge)
        if not await _use(transaction, settings, user.id, plain_code(sent.code)):
            transaction.on_rollback(partial(_report_wrong, database, user))
            transaction.on_rollback(partial(_report_guesses, database, settings, user.id))
            raise errors.WrongFactorError
        await require_no_suspension(transaction, user)
    return user


async def _report_guesses(database: Database, settings: Settings, user_id: int) -> None:
    """Sends the owner a mail, once a day: a challenge is given for the right password alone."""
    if await try_take(database, settings, attempts_by(Limit.UNREPORTED_GUESSES, user_id)):
        return
    if await try_take(database, settings, attempts_by(Limit.MAILS_ABOUT_GUESSES, user_id)):
        letter = rendering.to_account(Letter.SIGN_IN_GUESSED, user_id)
        async with database.transaction() as transaction:
            await outbox_rows.add(transaction, letter)


async def use_challenge(session: DatabaseSession, challenge: Challenge) -> None:
    """`InvalidChallengeError` if it was used before."""
    expires_at = datetime.fromtimestamp(challenge.expires_at, UTC)
    if not await factor_rows.use_challenge(session, challenge.id, expires_at):
        raise errors.InvalidChallengeError


async def require_code(
    request: ClientRequest, user: CallerAccount | User, code: str, *, session_id: int | None
) -> None:
    """Raises `WrongCodeError`, which counts as a wrong password does. `use_code` uses the code up,
    so a request that is refused in between leaves it as it is.
    """
    database = request.transaction.database
    async with _attempt(request, user, session_id):
        async with database.autocommit() as session:
            is_right = await _is_right(session, request.settings, user.id, plain_code(code))
        if not is_right:
            await _report_wrong(database, user)
            raise errors.WrongCodeError


async def use_code(transaction: Transaction, settings: Settings, user_id: int, code: str) -> None:
    """Uses up a code that `require_code` has checked, together with what it is for.

    `WrongCodeError` if another request has used it up since.
    """
    if not await _use(transaction, settings, user_id, plain_code(code)):
        raise errors.WrongCodeError


async def _is_right(session: DatabaseSession, settings: Settings, user_id: int, code: str) -> bool:
    if not is_totp(code):
        return await factor_rows.has_code(session, user_id, recovery_hash(code))
    totp = await factor_rows.totp(session, user_id)
    if totp is None or totp.secret is None:
        return False
    step = _step_of(settings, user_id, totp.secret, code)
    return step is not None and (totp.last_step is None or totp.last_step < step)


async def _use(transaction: Transaction, settings: Settings, user_id: int, code: str) -> bool:
    if is_totp(code):
        totp = await factor_rows.totp(transaction, user_id)
        secret = None if totp is None else totp.secret
        step = None if secret is None else _step_of(settings, user_id, secret, code)
        if secret is None or step is None:
            return False
        renewed = _encryption(settings).renewed(secret, owner=user_id)
        return await factor_rows.use_step(transaction, user_id, secret, step, renewed or secret)
    if not await factor_rows.use_code(transaction, user_id, recovery_hash(code)):
        return False
    left = await factor_rows.codes_left(transaction, user_id)
    await note(transaction, user_id, AuditKind.RECOVERY_CODE_USED, actor=user_id, left=left)
    return True


def _step_of(settings: Settings, user_id: int, stored: bytes, code: str) -> int | None:
    try:
        secret = TotpSecret(_encryption(settings).decrypted(stored, owner=user_id))
    except UnreadableSecretError as error:
        logger.warning("The authenticator app of account %s is of no use: %s", user_id, error)
        return None
    return secret.step_of(code, time.time())


def _attempt(
    request: ClientRequest, user: CallerAccount | User, session_id: int | None
) -> AbstractAsyncContextManager[object]:
    return login_attempt(
        request.transaction.database,
        request.settings,
        username=user.username,
        address=request.address,
        session_id=session_id,
        counts_successes=False,
    )


async def _report_wrong(database: Database, user: CallerAccount | User) -> None:
    await audit.report(database, AuditKind.LOGIN_FAILED, target=user.id)


async def locked(request: AccountRequest) -> User:
    current = await user_rows.lock(request.transaction, request.user.id)
    if current is None:
        raise errors.UnauthenticatedError
    if current.password_hash != request.user.password_hash:
        # The password was changed while the body arrived.
        raise errors.WrongPasswordError
    await require_caller(request, current)
    return current


async def require_caller(request: AccountRequest, current: User) -> None:
    """`UnauthenticatedError` if the caller would not be let in any more, now that it is locked.

    A body may take half a minute, and a factor that is set up meanwhile ends earlier sessions.
    Without a session, the caller sent the password or a key, which the factor refuses.
    """
    user = request.user
    if request.session_id is not None:
        is_caller = await session_rows.has(request.transaction, user.id, request.session_id)
    else:
        is_caller = (current.password_hash, current.has_totp, current.has_passkey) == (
            user.password_hash,
            user.has_totp,
            user.has_passkey,
        )
    if not is_caller:
        raise errors.UnauthenticatedError


async def require_way_in(transaction: Transaction, user: User) -> None:
    """`LastSignInError` if the account has neither a password nor another way to sign in."""
    if user.password_hash == NO_PASSWORD and not (
        await factor_rows.passkeys(transaction, user.id)
        or await identity_rows.is_usable(transaction, user.id)
    ):
        raise errors.LastSignInError


async def end_others(request: AccountRequest) -> None:
    """Ends the other sessions, which may have begun without the factor."""
    transaction, user = request.transaction, request.user
    ended = await session_rows.end_others(transaction, user.id, keep=request.session_id)
    for session_id in ended:
        transaction.announce(InvalidationKind.SESSION, session_id)
        event = AuditKind.SESSION_ENDED
        audit.record(transaction, event, actor=user.id, target=session_id)
    transaction.announce(InvalidationKind.USER, user.id)


async def note(
    transaction: Transaction,
    user_id: int,
    event: AuditKind,
    *,
    actor: int | str,
    left: int | None = None,
) -> None:
    letter = rendering.to_account(Letter.SIGN_IN_CHANGED, user_id, change=event.value, left=left)
    await outbox_rows.add(transaction, letter)
    audit.record(transaction, event, actor=actor, target=user_id)
