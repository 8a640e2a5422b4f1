"""Recovery by mail: confirming an address, replacing a forgotten password, appeals of suspended
people.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from adsvc import errors
from adsvc.enums import AuditKind, TokenPurpose
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Transaction
from adsvc.kit.db.statements import Row
from adsvc.kit.faults import Fault, missing
from adsvc.kit.records import Written
from adsvc.kit.security.tokens import LinkToken, Purpose
from adsvc.models.accounts import NO_PASSWORD, User, username_key
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import mail_tokens as token_rows
from adsvc.repositories.accounts import sessions as sign_in_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.moderation import decisions
from adsvc.repositories.outbox import NewEntry
from adsvc.schemas.auth import ReportLogin, ResetPassword
from adsvc.schemas.base import mailbox
from adsvc.schemas.users import UpdateUser
from adsvc.services import audit, rate_limits, webhooks
from adsvc.services.accounts import factors, keys, users
from adsvc.services.accounts.credentials import Credentials, password_faults
from adsvc.services.accounts.sessions import AccountRequest, ClientRequest
from adsvc.services.installation import signed_links
from adsvc.services.mail import rendering
from adsvc.services.mail.delivery import HOURS
from adsvc.services.mail.rendering import Letter
from adsvc.services.rate_limits import Attempts, Limit, attempts_by, attempts_from
from adsvc.settings import Settings


async def _mailbox_has_room(request: AccountRequest, mail: str) -> bool:
    """Counts a mail to an account's own address; False if it is over the limit.

    Mails that others caused cannot stop the owner from verifying it: when the mailbox has reached
    its limit, each account still gets one mail in a window, and the network of `address` as many of
    these as the mailbox's limit.
    """
    database, settings = request.transaction.database, request.settings
    if await rate_limits.try_take(database, settings, rate_limits.to_mailbox(mail)):
        return True
    own = attempts_by(Limit.MAILS_TO_SELF, request.user.id, mailbox(mail))
    others = attempts_from(Limit.MAILS_TO_TARGET, request.address, mailbox(mail))
    return await rate_limits.try_take(database, settings, own, *others)


def faults_of(_settings: Settings, sent: Mapping[str, Any]) -> Sequence[Fault]:
    """The faults of a new mail address. `sent` are valid members of `UpdateUser`."""
    if "mail" in sent and "currentPassword" not in sent:
        return [missing("must be given along with mail").at("/currentPassword")]
    return ()


async def update_profile(
    request: AccountRequest, credentials: Credentials, changes: UpdateUser
) -> Written:
    """Changes the profile, and returns it. Another mail address needs the password."""
    transaction, user = request.transaction, request.user
    values = changes.changes()
    password, mail = values.pop("current_password", None), values.pop("mail", None)
    if mail is None:
        return await users.update(request, values)
    await _count_by_address(request, attempts_by(Limit.MAILS, user.id))
    await credentials.require_password(request, password)
    # Counted before the account is locked, because it takes another connection.
    is_proved = user.mail_verified and mail == user.mail
    has_room = is_proved or await _mailbox_has_room(request, mail)
    current = await users.lock(request)
    if current.password_hash != user.password_hash:
        # The password was changed while the body arrived.
        raise errors.WrongPasswordError
    await factors.require_caller(request, current)
    columns, entries = _changed(current, mail, request.language, has_room=has_room)
    await token_rows.void(transaction, user.id)
    for entry in entries:
        await outbox_rows.add(transaction, entry)
    audit.record(transaction, AuditKind.MAIL_CHANGED, actor=user.id, target=user.id)
    return await users.update(request, values | columns)


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
        entries += [rendering.to_former_address(Letter.ADDRESS_REQUESTED, current.id, current.mail)]
    return columns, entries


async def request_verification(request: AccountRequest) -> None:
    """Sends the link again, if there is an address to verify."""
    user = request.user
    wanted = user.mail_pending or (None if user.mail_verified else user.mail)
    await _count_by_address(request, attempts_by(Limit.MAILS, user.id))
    if wanted is not None and await _mailbox_has_room(request, wanted):
        entry = rendering.verification(user.id, wanted, request.language)
        await outbox_rows.add(request.transaction, entry)


async def _count_by_address(request: ClientRequest, *others: Attempts) -> None:
    """Counts a request for a mail, or the use of a token, and what `others` count besides.

    `RateLimitedError` if one of the limits is reached.
    """
    by_address = attempts_from(Limit.MAILS_BY_ADDRESS, request.address)
    await rate_limits.take(request.transaction.database, request.settings, *others, *by_address)


async def verify(request: ClientRequest, text: str) -> None:
    """`InvalidTokenError` unless it verifies an address that the account still has, or wants."""
    await _count_by_address(request)
    transaction = request.transaction
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
        raise errors.InvalidTokenError
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


async def forgot(request: ClientRequest, username: str) -> None:
    """Raises `RateLimitedError` by address alone. Beyond a name's limit no mail is sent."""
    await _count_by_address(request)
    of_name = attempts_by(Limit.MAILS_TO_TARGET, "name", username_key(username))
    if await rate_limits.try_take(request.transaction.database, request.settings, of_name):
        entry = rendering.recovery(username, request.language)
        await outbox_rows.add(request.transaction, entry)


async def reset(request: ClientRequest, credentials: Credentials, proof: ResetPassword) -> None:
    """Replaces the password of the token's account, or raises `InvalidTokenError`."""
    await _count_by_address(request)
    transaction, settings = request.transaction, request.settings
    token = LinkToken(proof.token)
    owner = await _owner(transaction, token, TokenPurpose.RESET)
    # Only with a valid token may the response depend on the account's names.
    sent = {"newPassword": proof.new_password}
    names = owner.username, owner.first_name, owner.last_name
    faults = password_faults(settings, sent, "newPassword", *names)
    if faults:
        raise errors.InvalidRequestError(*faults)
    if owner.has_totp:
        if proof.code is None:
            raise errors.CodeRequiredError
        await factors.require_code(request, owner, proof.code, session_id=None)
    password_hash = await credentials.hash(
        proof.new_password, username=owner.username, address=request.address
    )
    user = await user_rows.lock(transaction, owner.id)
    proved = (
        None if user is None else await token_rows.take(transaction, token.hash, TokenPurpose.RESET)
    )
    if user is None or proved is None or not (user.mail_verified and user.mail == proved):
        raise errors.InvalidTokenError
    if user.has_totp and not owner.has_totp:
        # An app was set up meanwhile.
        raise errors.CodeRequiredError
    if owner.has_totp and proof.code is not None:
        await factors.use_code(transaction, settings, user.id, proof.code)
    await users.replace_forgotten_password(transaction, user, password_hash)
    if proof.end_keys:
        await keys.delete_all(transaction, user.id)
        await webhooks.disable_all(transaction, user.id)


async def report_login(request: ClientRequest, sent: ReportLogin) -> None:
    """Ends all sessions of the token's account, and makes its password void.

    Removes the keys, passkeys, identities and the app that the session of the login or a later one
    has added. Disables webhooks that were created or changed since. Sends the link for a new
    password.

    With them a thief would stay, or keep the owner from that link. What an earlier session has
    added stays, and what has replaced an app, by its code: the account is not to have less than it
    had before the login. `InvalidTokenError` unless the account still has the address of that mail.
    """
    await _count_by_address(request)
    transaction = request.transaction
    token = LinkToken(sent.token)
    owner = await _owner(transaction, token, TokenPurpose.REPORT)
    user = await user_rows.lock(transaction, owner.id)
    expires_at = await token_rows.expires_at(transaction, token.hash)
    proved = (
        None
        if user is None
        else await token_rows.take(transaction, token.hash, TokenPurpose.REPORT)
    )
    has_address = user is not None and user.mail_verified and user.mail == proved
    if user is None or expires_at is None or proved is None or not has_address:
        raise errors.InvalidTokenError
    logged_in_at = expires_at - timedelta(hours=HOURS[TokenPurpose.REPORT])
    await factors.remove_added_since(transaction, user.id, logged_in_at)
    since = None if sent.end_keys else logged_in_at
    await keys.delete_all(transaction, user.id, since=since)
    await webhooks.disable_all(transaction, user.id, since=since)
    await token_rows.void_all(transaction, user.id)
    await user_rows.set_password_hash(transaction, user.id, NO_PASSWORD)
    await user_rows.update_user(transaction, user.id, {"mail_pending": None})
    transaction.announce(InvalidationKind.USER, user.id)
    await users.end_sessions(transaction, user.id)
    # The place of that login must not count as known.
    await sign_in_rows.forget_sign_ins(transaction, user.id)
    await outbox_rows.add(transaction, rendering.recovery(user.username, None))
    audit.record(transaction, AuditKind.LOGIN_REPORTED, actor=user.id, target=user.id)


async def _owner(transaction: Transaction, token: LinkToken, purpose: TokenPurpose) -> User:
    """The token's owner. No connection is in use afterwards."""
    async with transaction.database.autocommit() as session:
        owner = await token_rows.owner(session, token.hash, purpose)
        user = None if owner is None else await user_rows.get(session, owner)
    if user is None:
        raise errors.InvalidTokenError
    return user


async def decision_of(request: ClientRequest, token: str) -> Row:
    """The decision that a signed link is for, or `InvalidTokenError`."""
    await _count_by_address(request)
    transaction = request.transaction
    meant = (await signed_links(transaction, Purpose.APPEAL)).read(token)
    if meant is None:
        raise errors.InvalidTokenError
    user_id, decision_id = meant
    found = await decisions.get(transaction, int(decision_id))
    if found is None or found["user_id"] != user_id:
        raise errors.InvalidTokenError
    return found
