import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from adsvc.enums import AuditKind, RegistrationMode, Role
from adsvc.errors import (
    InvalidRequestError,
    InvitationRequiredError,
    RegistrationClosedError,
    TermsMissingError,
    TermsRequiredError,
    UnauthenticatedError,
    UsernameTakenError,
    WrongPasswordError,
)
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Statements
from adsvc.kit.faults import unknown
from adsvc.kit.invalidation import LruCache
from adsvc.kit.records import Expected, Written, version_of
from adsvc.kit.storage import ImageStore
from adsvc.models.accounts import NO_PASSWORD, User
from adsvc.repositories import images as image_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import mail_tokens as token_rows
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import NAMES, CallerAccount
from adsvc.repositories.accounts.factors import codes_left
from adsvc.repositories.images import used_by
from adsvc.repositories.operation import site
from adsvc.schemas.auth import NewAccount, Register
from adsvc.schemas.base import normalised
from adsvc.schemas.users import NewPassword
from adsvc.schemas.users import User as UserRecord
from adsvc.services import audit, rate_limits
from adsvc.services.accounts import factors
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.accounts.sessions import AccountRequest, ClientRequest
from adsvc.services.images import PictureStoring, ReceivedImages
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.picture_deletion import forget_pictures, withdraw_pictures
from adsvc.services.rate_limits import Limit, attempts_from
from adsvc.settings import Settings, TermsVersion


async def profile(rows: Statements, settings: Settings, user: CallerAccount | User) -> Written:
    """The account as its owner sees it: `schemas.users.User`."""
    used = await used_by(rows, user.id)
    known = {name: getattr(user, name) for name in NAMES}
    quota = settings.image_quota_bytes or None
    codes = await codes_left(rows, user.id) if user.has_totp else 0
    figures = {"storage_used": used, "storage_quota": quota, "recovery_codes_left": codes}
    record = UserRecord.model_validate({**known, **figures})
    text = record.model_dump_json(by_alias=True)
    return Written(text, version_of(text.encode()))


async def lock(request: AccountRequest) -> User:
    """Locks the account until the transaction ends.

    Raises `PreconditionFailedError` if it does not have the expected version.
    """
    current = await user_rows.lock(request.transaction, request.user.id)
    if current is None:
        raise UnauthenticatedError
    if request.expected.versions is not None:
        known = await profile(request.transaction, request.settings, current)
        request.expected.require(known.version)
    return current


async def require_expected(
    reader: Statements, settings: Settings, user: CallerAccount, expected: Expected
) -> None:
    """As `update`, only checks the version."""
    if expected.versions is not None:
        expected.require((await profile(reader, settings, user)).version)


async def update(request: AccountRequest, values: Mapping[str, Any]) -> Written:
    """Changes these columns, and returns the profile."""
    transaction, user_id = request.transaction, request.user.id
    if request.expected.versions is not None:
        await lock(request)
    updated = await user_rows.update_user(transaction, user_id, values)
    if updated is None:
        raise UnauthenticatedError
    transaction.announce(InvalidationKind.USER, user_id)
    return await profile(transaction, request.settings, updated)


async def replace_image(
    request: AccountRequest, store: ImageStore, image: ReceivedImages
) -> Written:
    """Returns the profile with the new avatar. The old one is deleted after the commit."""
    transaction, settings, user_id = request.transaction, request.settings, request.user.id
    # An avatar is always shown small, and needs no variants.
    storing = PictureStoring(transaction, settings, store)
    stored, _ = await storing.store_one(image, variants=False)
    current = await lock(request)
    forget_pictures(transaction, store, [current.image] if current.image else [])
    old = await image_rows.size(transaction, current.image) if current.image else 0
    updated = await user_rows.update_user(transaction, user_id, {"image": stored.name})
    transaction.announce(InvalidationKind.USER, user_id)
    if updated is None:
        raise UnauthenticatedError
    await storing.charge([stored], owner_id=user_id, replaced=old)
    return await profile(transaction, settings, updated)


async def set_password(
    request: AccountRequest, credentials: Credentials, change: NewPassword
) -> CallerAccount:
    """Ends every session of the user, also the caller's, who gets new tokens.

    Returns the account as it is now.
    """
    transaction, user = request.transaction, request.user
    if user.password_hash == NO_PASSWORD:
        # The mail of `POST /password/forgot` sets one up.
        raise WrongPasswordError
    await credentials.require_password(request, change.current_password)
    password_hash = await credentials.hash(
        change.new_password, username=user.username, address=request.address
    )
    await factors.locked(request)
    if not await user_rows.replace_password_hash(
        transaction, user.id, user.password_hash, password_hash
    ):
        # Another change of the password came first.
        raise WrongPasswordError
    # Until this notice, caches would accept the old password.
    transaction.announce(InvalidationKind.USER, user.id)
    await end_sessions(transaction, user.id)
    await _record_new_password(transaction, user.id, actor=user.id)
    return replace(user, password_hash=password_hash)


async def overwrite_password(
    transaction: Transaction, user: User, password_hash: str, *, actor: str
) -> None:
    """For operators. Ends every session of the user."""
    await user_rows.set_password_hash(transaction, user.id, password_hash)
    await session_rows.end_all(transaction, user.id)
    await _record_new_password(transaction, user.id, actor=actor)


async def replace_forgotten_password(
    transaction: Transaction, user: User, password_hash: str
) -> None:
    """For a client that proved that it reads the account's mail. Ends every session of the user."""
    await user_rows.set_password_hash(transaction, user.id, password_hash)
    transaction.announce(InvalidationKind.USER, user.id)
    await end_sessions(transaction, user.id)
    await _record_new_password(transaction, user.id, actor=user.id)


async def end_sessions(transaction: Transaction, user_id: int) -> None:
    """Ends all sessions of the account."""
    for ended in await session_rows.end_all(transaction, user_id):
        transaction.announce(InvalidationKind.SESSION, ended)
        audit.record(transaction, AuditKind.SESSION_ENDED, actor=user_id, target=ended)


async def _record_new_password(transaction: Transaction, user_id: int, *, actor: int | str) -> None:
    """Also invalidates links that were sent before, and those that are not sent yet."""
    await token_rows.void(transaction, user_id)
    await user_rows.update_user(transaction, user_id, {"mail_pending": None})
    letter = rendering.to_account(Letter.PASSWORD_CHANGED, user_id)
    await outbox_rows.add(transaction, letter)
    audit.record(transaction, AuditKind.PASSWORD_CHANGED, actor=actor, target=user_id)


async def set_role(transaction: Transaction, user_id: int, role: Role, *, actor: int | str) -> None:
    await user_rows.set_role(transaction, user_id, role)
    transaction.announce(InvalidationKind.USER, user_id)
    audit.record(transaction, AuditKind.ROLE_CHANGED, actor=actor, target=user_id)


async def delete(
    request: AccountRequest, credentials: Credentials, store: ImageStore, password: str | None
) -> None:
    """Deletes the account with its ads, comments, sessions and pictures, in one transaction."""
    transaction, user = request.transaction, request.user
    await credentials.require_password(request, password)
    await user_rows.lock_deletion(transaction, user.id)
    current = await lock(request)
    if current.password_hash != user.password_hash:
        # The password was changed while the body arrived.
        raise WrongPasswordError
    await factors.require_caller(request, current)
    days = request.settings.undo_days
    await remove(transaction, store, user.id, actor=user.id, days=days)


async def remove(
    transaction: Transaction, store: ImageStore, user_id: int, *, actor: int | str, days: int
) -> None:
    """Deletes an account that is locked; for so many days that can be undone."""
    images = await user_rows.delete_user(transaction, user_id, actor=actor, days=days)
    # Invalidates what caches have of the account. A change of any ad invalidates listings.
    transaction.announce(InvalidationKind.USER, user_id)
    transaction.announce(InvalidationKind.AD, NO_AD)
    withdraw_pictures(transaction, store, images, days=days)
    audit.record(transaction, AuditKind.ACCOUNT_DELETED, actor=actor, target=user_id)


def record_export(transaction: Transaction, user_id: int, *, actor: audit.Id) -> None:
    """For exports by operators; those by owners have a line in the access log."""
    audit.record(transaction, AuditKind.ACCOUNT_EXPORTED, actor=actor, target=user_id)


async def require_free(database: Database, username: str) -> None:
    """`UsernameTakenError` if the name is taken."""
    async with database.autocommit() as session:
        if await user_rows.id_of(session, username) is not None:
            raise UsernameTakenError


def require_open(settings: Settings) -> None:
    if settings.registration is RegistrationMode.CLOSED:
        raise RegistrationClosedError


def require_admission(settings: Settings, sent: NewAccount) -> None:
    """The conditions of the site on new accounts, however they are made, as far as they need no
    look into the database. `admit` has the rest.
    """
    if settings.registration is RegistrationMode.INVITATION and not sent.invitation:
        raise InvitationRequiredError
    if settings.terms is not None and sent.accepted_terms != settings.terms.version:
        raise TermsMissingError


async def admit(
    transaction: Transaction, settings: Settings, user_id: int, sent: NewAccount
) -> None:
    """Counts a use of the invitation, where one is needed, and notes the terms."""
    if settings.registration is RegistrationMode.INVITATION:
        digest = hashlib.sha256(sent.invitation.encode()).digest()
        if not await site.use_invitation(transaction, digest):
            raise InvitationRequiredError
    if settings.terms is not None and sent.accepted_terms is not None:
        await accept_terms(transaction, settings, user_id, sent.accepted_terms)


async def register(
    request: ClientRequest, credentials: Credentials, registration: Register
) -> User:
    """The new user, or `UsernameTakenError`.

    If the user name is a mail address, a mail with a link confirms it.
    """
    transaction, language = request.transaction, request.language
    mail = normalised(registration.username)
    password_hash = await credentials.hash(
        registration.password, username=registration.username, address=request.address
    )
    gets_mail = mail is not None and await _count_mail(request, mail)
    user = await user_rows.add(
        transaction,
        registration.username,
        password_hash,
        first_name=registration.first_name,
        last_name=registration.last_name,
        phone=registration.phone,
        mail=mail,
        language=language,
    )
    if user is None:
        raise UsernameTakenError
    if gets_mail and mail is not None:
        entry = rendering.verification(user.id, mail, language)
        await outbox_rows.add(transaction, entry)
    return user


async def _count_mail(request: ClientRequest, mail: str) -> bool:
    """Counts the mail of a registration; without an account it is uncounted.

    The account is created even if the mail is over a limit: the client must not learn whether
    others have had mail sent to that address. The count takes another connection, so it comes
    before the transaction has one.
    """
    database, settings = request.transaction.database, request.settings
    by_address = attempts_from(Limit.MAILS_BY_ADDRESS, request.address)
    counts = rate_limits.to_mailbox(mail), *by_address
    if not await rate_limits.try_take(database, settings, *counts):
        return False
    request.transaction.on_rollback(partial(rate_limits.give_back, database, settings, *counts))
    return True


MOST_REMEMBERED = 10_000


class TermsCheck:
    """Whether accounts have accepted the terms in force. Remembers those that have."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._accepted: LruCache[tuple[int, TermsVersion], bool] = LruCache(MOST_REMEMBERED)

    async def require(self, user_id: int) -> None:
        """`TermsRequiredError` if the account has not."""
        terms = self._settings.terms
        if terms is None or self._accepted.get((user_id, terms)):
            return
        if not await user_rows.has_accepted_terms(self._database.reader, user_id, *terms):
            raise TermsRequiredError
        self._accepted.keep((user_id, terms), True)  # noqa: FBT003 - a value


async def accept_terms(
    transaction: Transaction, settings: Settings, user_id: int, version: int
) -> None:
    terms = settings.terms
    if terms is None or version != terms.version:
        raise InvalidRequestError(unknown("must be that of the terms in force").at("/version"))
    await user_rows.accept_terms(transaction, user_id, *terms)
