"""API keys: what programs use instead of a session (docs/decisions/0061)."""

from contextlib import suppress
from datetime import UTC, datetime

from asyncpg import PostgresError

from adsvc import errors
from adsvc.enums import AuditKind, KeyScope
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.security.tokens import KeySecret
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import callers as caller_rows
from adsvc.repositories.accounts import keys as key_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount, UsedKey
from adsvc.repositories.accounts.keys import note_use
from adsvc.schemas.users import CreatedKey, CreateKey, Key
from adsvc.services import audit
from adsvc.services.accounts import factors
from adsvc.services.accounts.sessions import AccountRequest
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.rate_limits import Limit, attempts_by, try_take

# Of one account, with those that have expired.
MOST_KEYS = 20

# How exact `lastUsedAt` is; a request in so many seconds writes it.
USE_NOTED_SECONDS = 300


async def create(request: AccountRequest, sent: CreateKey) -> CreatedKey:
    """`TooManyError` if the account has as many as it may have, whoever adds some at this moment.

    Its owner gets a mail: a key outlives the session that made it.
    """
    transaction, owner = request.transaction, request.user
    notice = attempts_by(Limit.MAILS_ABOUT_KEYS, owner.id)
    gets_mail = await try_take(transaction.database, request.settings, notice)
    is_locked = await user_rows.lock_unless_suspended(transaction, owner.id)
    current = await user_rows.get(transaction, owner.id) if is_locked else None
    if current is None:
        raise errors.UnauthenticatedError
    await factors.require_caller(request, current)
    if await key_rows.count(transaction, owner.id) >= MOST_KEYS:
        raise errors.TooManyError(MOST_KEYS, "keys of an account")
    secret = KeySecret.new()
    expires_at = sent.expires_at
    row = await key_rows.add(
        transaction,
        owner.id,
        secret,
        name=sent.name,
        scopes=[KeyScope(scope) for scope in sent.scopes],
        expires_at=None if expires_at is None else datetime.fromtimestamp(expires_at / 1000, UTC),
        session_id=request.session_id,
    )
    if gets_mail:
        letter = rendering.to_account(Letter.KEY_CREATED, owner.id, name=sent.name)
        await outbox_rows.add(transaction, letter)
    audit.record(transaction, AuditKind.KEY_CREATED, actor=owner.id, target=row.id)
    members = Key.model_validate(row).model_dump()
    return CreatedKey(**members, secret=secret.text)


async def delete(transaction: Transaction, owner: CallerAccount, key_id: int) -> None:
    """`KeyNotFoundError` if the account has no such key."""
    if not await key_rows.delete_key(transaction, key_id, owner.id):
        raise errors.KeyNotFoundError
    transaction.announce(InvalidationKind.KEY, key_id)
    audit.record(transaction, AuditKind.KEY_DELETED, actor=owner.id, target=key_id)


async def delete_all(
    transaction: Transaction, owner_id: int, *, since: datetime | None = None
) -> None:
    """All keys of the account, or those that sessions from that moment on have added."""
    if since is None:
        deleted = await key_rows.delete_all(transaction, owner_id)
    else:
        deleted = await key_rows.delete_added_since(transaction, owner_id, since)
    for key_id in deleted:
        transaction.announce(InvalidationKind.KEY, key_id)
        audit.record(transaction, AuditKind.KEY_DELETED, actor=owner_id, target=key_id)


async def used(database: Database, secret: KeySecret) -> tuple[CallerAccount, UsedKey] | None:
    """Whose key it is, and the key; its use is written down now and then."""
    found = await caller_rows.by_key(database.reader, secret.hash, USE_NOTED_SECONDS)
    if found is not None and found[1].is_due:
        # Not to know when it was used is no reason to refuse it.
        with suppress(PostgresError, errors.DatabaseUnavailableError):
            await note_use(database.writer, found[1].id, USE_NOTED_SECONDS)
    return found


def granted(key: UsedKey) -> frozenset[KeyScope]:
    """The scopes of a key, with those that they contain."""
    own = {scope for scope in KeyScope if scope in key.scopes}
    return frozenset(own | {scope.contained for scope in own})
