"""Recovery by mail: confirming an address, replacing a forgotten password, appeals of suspended
people.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from adsvc.bulkheads.rate_limits import Limit, count, count_address
from adsvc.db.database import Database, Transaction
from adsvc.db.statements import Row
from adsvc.enums import AuditKind
from adsvc.errors import (
    CodeRequiredError,
    Fault,
    InvalidRequestError,
    InvalidTokenError,
    WrongPasswordError,
)
from adsvc.errors.faults import missing
from adsvc.invalidation import InvalidationKind
from adsvc.models import TokenPurpose, User
from adsvc.models.accounts import username_key
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import mail_tokens as token_rows
from adsvc.repositories.accounts import sign_ins as sign_in_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.moderation import decisions
from adsvc.repositories.outbox import NewEntry
from adsvc.schemas.auth import ReportLogin, ResetPassword
from adsvc.schemas.names import mailbox
from adsvc.schemas.users import UpdateUser
from adsvc.security.credentials import LinkToken
from adsvc.security.signed_links import Purpose
from adsvc.services import audit, rate_limits
from adsvc.services.accounts import factors, keys, passwords, users
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.installation import signed_links
from adsvc.services.mail import rendering
from adsvc.services.mail.delivery import HOURS
from adsvc.services.mail.rendering import Letter
from adsvc.settings import Settings
from adsvc.versions import ANYTHING, Expected, Written


async def mailbox_has_room(
    database: Database, settings: Settings, mail: str, *, user_id: int, address: str
) -> bool:
    """Counts a mail to an account's own address; False if it is over the limit.

    Mails that others caused cannot stop the owner from verifying it: when the mailbox has reached
    its limit, each account still gets one mail in a window, and the network of `address` as many of
    these as the mailbox's limit.
    """
    if await rate_limits.try_take(database, settings, rate_limits.to_mailbox(mail)):
        return True
    own = count(Limit.MAILS_TO_SELF, user_id, mailbox(mail))
    others = count_address(Limit.MAILS_TO_TARGET, address, mailbox(mail))
    return await rate_limits.try_take(database, settings, own, *others)


def faults_of(_settings: Settings, sent: Mapping[str, Any]) -> Sequence[Fault]:
    """The faults of a new mail address. `sent` are valid members of `UpdateUser`."""
    if "mail" in sent and "currentPassword" not in sent:
        return [missing("must be given along with mail").at("/currentPassword")]
    return ()


async def update_profile(
    transaction: Transaction,
    credentials: Credentials,
    settings: Settings,
    user: CallerAccount,
    changes: UpdateUser,
    expected: Expected,
    *,
    address: str,
    session_id: int | None,
    language: str | None,
) -> Written:
    """Changes the profile, and returns it. Another mail address needs the password."""
    values = changes.changes()
    password, mail = values.pop("current_password", None), values.pop("mail", None)
    if mail is None:
        return await users.update(transaction, settings, user, values, expected)
    await _count(transaction, settings, user, address=address)
    await credentials.require_password(user, password, address=address, session_id=session_id)
    # Counted before the account is locked, because it takes another connection.
    is_proved = user.mail_verified and mail == user.mail
    has_room = is_proved or await mailbox_has_room(
        transaction.database, settings, mail, user_id=user.id, address=address
    )
    current = await users.lock(transaction, settings, user, expected)
    if current.password_hash != user.password_hash:
        # The password was changed while the body arrived.
        raise WrongPasswordError
    await factors.require_caller(transaction, current, user, session_id=session_id)
    columns, entries = _changed(current, mail, language, has_room=has_room)
    await token_rows.void(transaction, user.id)
    for entry in entries:
        await outbox_rows.add(transaction, entry)
    audit.record(transaction, AuditKind.MAIL_CHANGED, actor=user.id, target=user.id)
    return await users.update(transaction, settings, user, values | columns, ANYTHING)


def _changed(
    current: User, mail: str, language: str | None, *, has_room: bool
) -> tuple[dict[str, Any], list[NewEntry]]:
    """The new columns, and the mails to be sent."""
    columns: dict[str, Any] = {"mail_pending": None}
    if language is not None:
        columns["language"] = language
    entries = [rendering.verification(current.id, mail, language)] if has_room else []
    if not current.mail_verified:
        # The former address was never verified, so it gets no notice.
        columns |= {"mail": mail}
    elif mail == current.mail:
        # The address is verified, and stays the one in use.
        entries = []
    elif current.mail is not None:
        columns |= {"mail_pending": mail}
        entries += [rendering.to_former_address(Letter.ADDRESS_ASKED, current.id, current.mail)]
    return columns, entries


async def request_verification(
    transaction: Transaction,
    settings: Settings,
    user: CallerAccount,
    *,
    address: str,
    language: str | None,
) -> None:
    """Sends the link again, if there is an address to verify."""
    wanted = user.mail_pending or (None if user.mail_verified else user.mail)
    await _count(transaction, settings, user, address=address)
    if wanted is not None and await mailbox_has_room(
        transaction.database, settings, wanted, user_id=user.id, address=address
    ):
        entry = rendering.verification(user.id, wanted, language)
        await outbox_rows.add(transaction, entry)


async def _count(
    transaction: Transaction, settings: Settings, user: CallerAccount, *, address: str
) -> None:
    """`RateLimitedError` if the account or the address has requested too many mails."""
    counts = count(Limit.MAILS, user.id), *count_address(Limit.MAILS_BY_ADDRESS, address)
    await rate_limits.take(transaction.database, settings, *counts)


async def verify(transaction: Transaction, settings: Settings, text: str, *, address: str) -> None:
    """`InvalidTokenError` unless it verifies an address that the account still has, or wants."""
    by_address = count_address(Limit.MAILS_BY_ADDRESS, address)
    await rate_limits.take(transaction.database, settings, *by_address)
    token = LinkToken(text)
    owner = await token_rows.owner(transaction, token.hash, TokenPurpose.VERIFY)
    # Locked before the token: all changes of the account lock it first.
    user = None if owner is None else await user_rows.lock(transaction, owner)
    proved = (
        None
        if user is None
        else await token_rows.take(transaction, token.hash, TokenPurpose.VERIFY)
    )
    if user is None or proved is None or proved not in {user.mail, user.mail_pending}:
        raise InvalidTokenError
    former = user.mail if user.mail_verified and user.mail != proved else None
    await token_rows.void(transaction, user.id)
    await user_rows.update_user(
        transaction, user.id, {"mail": proved, "mail_verified": True, "mail_pending": None}
    )
    transaction.announce(InvalidationKind.USER, user.id)
    if former is not None:
        entry = rendering.to_former_address(Letter.ADDRESS_CHANGED, user.id, former)
        await outbox_rows.add(transaction, entry)
    audit.record(transaction, AuditKind.MAIL_VERIFIED, actor=user.id, target=user.id)


async def forgot(
    transaction: Transaction,
    settings: Settings,
    username: str,
    *,
    address: str,
    language: str | None,
) -> None:
    """Raises `RateLimitedError` by address alone. Beyond a name's limit no mail is sent."""
    by_address = count_address(Limit.MAILS_BY_ADDRESS, address)
    await rate_limits.take(transaction.database, settings, *by_address)
    of_name = count(Limit.MAILS_TO_TARGET, "name", username_key(username))
    if await rate_limits.try_take(transaction.database, settings, of_name):
        entry = rendering.recovery(username, language)
        await outbox_rows.add(transaction, entry)


async def reset(
    transaction: Transaction,
    credentials: Credentials,
    settings: Settings,
    proof: ResetPassword,
    *,
    address: str,
) -> None:
    """Replaces the password of the token's account, or raises `InvalidTokenError`."""
    by_address = count_address(Limit.MAILS_BY_ADDRESS, address)
    await rate_limits.take(transaction.database, settings, *by_address)
    token = LinkToken(proof.token)
    owner = await _owner(transaction, token, TokenPurpose.RESET)
    # Only with a valid token may the response depend on the account's names.
    sent = {"newPassword": proof.new_password}
    names = owner.username, owner.first_name, owner.last_name
    faults = passwords.faults_of(settings, sent, "newPassword", *names)
    if faults:
        raise InvalidRequestError(*faults)
    if owner.has_totp:
        if proof.code is None:
            raise CodeRequiredError
        await factors.require_code(
            transaction.database, settings, owner, proof.code, address=address
        )
    password_hash = await credentials.hash(
        proof.new_password, username=owner.username, address=address
    )
    user = await user_rows.lock(transaction, owner.id)
    proved = (
        None if user is None else await token_rows.take(transaction, token.hash, TokenPurpose.RESET)
    )
    if user is None or proved is None or not (user.mail_verified and user.mail == proved):
        raise InvalidTokenError
    if user.has_totp and not owner.has_totp:
        # An app was set up meanwhile.
        raise CodeRequiredError
    if owner.has_totp and proof.code is not None:
        await factors.use_code(transaction, settings, user.id, proof.code)
    await users.replace_forgotten_password(transaction, user, password_hash)
    if proof.end_keys:
        await keys.delete_all(transaction, user.id)


async def report_login(
    transaction: Transaction,
    credentials: Credentials,
    settings: Settings,
    sent: ReportLogin,
    *,
    address: str,
) -> None:
    """Ends all sessions of the token's account, and makes its password void.

    Removes the keys, passkeys and the app that the session of the login or a later one has added,
    and sends the link for a new password.

    With them a thief would stay, or keep the owner from that link. What an earlier session has
    added stays, and what has replaced an app, by its code: the account is not to have less than it
    had before the login. `InvalidTokenError` unless the account still has the address of that mail.
    """
    by_address = count_address(Limit.MAILS_BY_ADDRESS, address)
    await rate_limits.take(transaction.database, settings, *by_address)
    token = LinkToken(sent.token)
    owner = await _owner(transaction, token, TokenPurpose.REPORT)
    # Of a password that nothing but this process has ever had.
    password_hash = await credentials.hash(
        LinkToken.new().text, username=owner.username, address=address
    )
    user = await user_rows.lock(transaction, owner.id)
    expires_at = await token_rows.expires_at(transaction, token.hash)
    proved = (
        None
        if user is None
        else await token_rows.take(transaction, token.hash, TokenPurpose.REPORT)
    )
    has_address = user is not None and user.mail_verified and user.mail == proved
    if user is None or expires_at is None or proved is None or not has_address:
        raise InvalidTokenError
    logged_in_at = expires_at - timedelta(hours=HOURS[TokenPurpose.REPORT])
    await factors.remove_added_since(transaction, user.id, logged_in_at)
    since = None if sent.end_keys else logged_in_at
    await keys.delete_all(transaction, user.id, since=since)
    await token_rows.void_all(transaction, user.id)
    await user_rows.set_password_hash(transaction, user.id, password_hash)
    await user_rows.update_user(transaction, user.id, {"mail_pending": None})
    transaction.announce(InvalidationKind.USER, user.id)
    await users.end_sessions(transaction, user.id)
    # The place of that login must not count as known.
    await sign_in_rows.forget(transaction, user.id)
    await outbox_rows.add(transaction, rendering.recovery(user.username, None))
    audit.record(transaction, AuditKind.LOGIN_REPORTED, actor=user.id, target=user.id)


async def _owner(transaction: Transaction, token: LinkToken, purpose: TokenPurpose) -> User:
    """The token's owner. No connection is in use afterwards."""
    async with transaction.database.autocommit() as session:
        owner = await token_rows.owner(session, token.hash, purpose)
        user = None if owner is None else await user_rows.get(session, owner)
    if user is None:
        raise InvalidTokenError
    return user


async def decision_of(
    transaction: Transaction, settings: Settings, token: str, *, address: str
) -> Row:
    """The decision that a signed link is for, or `InvalidTokenError`."""
    by_address = count_address(Limit.MAILS_BY_ADDRESS, address)
    await rate_limits.take(transaction.database, settings, *by_address)
    meant = (await signed_links(transaction, Purpose.APPEAL)).read(token)
    if meant is None:
        raise InvalidTokenError
    user_id, decision_id = meant
    found = await decisions.get(transaction, int(decision_id))
    if found is None or found["user_id"] != user_id:
        raise InvalidTokenError
    return found
