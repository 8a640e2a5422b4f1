"""Sessions: logins, and the refresh of tokens (RFC 6749 §6, RFC 9700 §4.14)."""

import hashlib
import hmac
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from adsvc.addresses import client_network
from adsvc.db.database import Database, Transaction
from adsvc.db.engine import DatabaseSession
from adsvc.enums import AuditKind
from adsvc.errors import (
    AccountSuspendedError,
    SessionNotFoundError,
    UnauthenticatedError,
    WrongCredentialsError,
)
from adsvc.invalidation import Invalidation, InvalidationKind
from adsvc.models import User
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.accounts.sessions import FactorAt
from adsvc.repositories.moderation import accounts
from adsvc.schemas.auth import TokenPair
from adsvc.security.signed_links import Purpose
from adsvc.security.tokens import AccessTokens, RefreshToken
from adsvc.services import audit
from adsvc.services.accounts import sign_ins
from adsvc.services.accounts.requests import ClientRequest
from adsvc.services.installation import signed_links
from adsvc.settings import Settings


async def require_no_suspension(session: DatabaseSession, user: User) -> None:
    """`AccountSuspendedError` if the account is suspended now.

    Only for callers who have proved that the account is theirs: the error has the token that shows
    the decision and takes the appeal.
    """
    if user.suspended_until is None:
        return
    suspension = await accounts.suspension_of(session, user.id)
    if suspension is None:
        return
    token = None
    if suspension.decision_id is not None:
        links = await signed_links(session, Purpose.APPEAL)
        token = links.token(user.id, str(suspension.decision_id))
    raise AccountSuspendedError(suspension.until, suspension.explanation, token)


def network_digest(settings: Settings, user_id: int, address: str) -> bytes:
    """The digest of a network, by which the sessions of an account recognise it.

    It is keyed, because there are so few IPv4 addresses that all could be tried. Two accounts in
    one network have different digests.
    """
    message = f"adsvc network\0{user_id}\0{client_network(address)}".encode()
    return hmac.digest(settings.required_jwt_secret().encode(), message, hashlib.sha256)[:16]


CLIENT_MAX_LENGTH = 120
# Tabs of a browser that renew together, and a client whose answer was lost, use a token twice.
GRACE = timedelta(seconds=10)
WORTHLESS = "The refresh token is unknown, expired, or was used before."


async def begin(
    request: ClientRequest,
    tokens: AccessTokens,
    user: CallerAccount | User,
    *,
    factor_at: FactorAt = None,
    is_login: bool = True,
) -> TokenPair:
    """A new session. If the user has too many, those used longest ago end.

    `factor_at` is when a second factor was proved. The owner gets a mail about a login from a
    network or a device that is new.
    """
    transaction, settings = request.transaction, request.settings
    network_hash = network_digest(settings, user.id, request.address)
    sign_in = None
    if is_login:
        # Before the session begins, because it takes another connection.
        sign_in = await sign_ins.examine(request, user.id, network_hash)
    refresh_token = RefreshToken.new()
    # By its beginning people recognise a session.
    printable = "".join(filter(str.isprintable, request.user_agent))
    session_id = await session_rows.add(
        transaction,
        user,
        refresh_token,
        client=printable[:CLIENT_MAX_LENGTH].strip(),
        network_hash=network_hash,
        lifetime=timedelta(seconds=settings.refresh_token_seconds),
        factor_at=factor_at,
    )
    if session_id is None:
        # The password was changed, an app set up, or the account deleted, while the old password
        # was verified.
        raise WrongCredentialsError
    for ended in await session_rows.end_surplus(
        transaction, user.id, keep=settings.sessions_per_user
    ):
        _ended(transaction, user.id, ended)
    audit.record(transaction, AuditKind.SESSION_BEGAN, actor=user.id, target=session_id)
    if sign_in is not None:
        await sign_ins.record(transaction, user.id, sign_in)
    return _pair(tokens, user.id, session_id, refresh_token)


async def refresh(
    database: Database, tokens: AccessTokens, settings: Settings, text: str, *, address: str
) -> TokenPair:
    """The session's next tokens, or `UnauthenticatedError`.

    A second use within `GRACE` after the first gets the same pair. An expired token ends its
    session. So does a token that was used before that, or whose successor was used: either use may
    be a thief's, and the service cannot know which. Each statement commits alone, because the
    refusal must not undo the end of the session.
    """
    spent = RefreshToken.parse(text)
    if spent is None:
        raise UnauthenticatedError(WORTHLESS)
    fresh = spent.next(settings.required_jwt_secret())
    now = datetime.now(UTC)
    lifetime = timedelta(seconds=settings.refresh_token_seconds)
    async with database.autocommit() as session:
        rotated = await session_rows.rotate(session, spent, fresh, at=now, lifetime=lifetime)
        current = rotated or await session_rows.rotated_near(session, fresh, now, grace=GRACE)
        ended = await session_rows.end_by_token(session, spent) if current is None else None
        if rotated is not None:
            # A session's network seldom changes.
            network_hash = network_digest(settings, rotated.user_id, address)
            if rotated.network_hash != network_hash:
                await session_rows.set_network(session, rotated.id, network_hash)
    if current is None:
        if ended is not None:
            database.changes.apply(Invalidation(InvalidationKind.SESSION, str(ended.id)))
            if ended.secret_hash != spent.secret_hash:
                await audit.report(database, AuditKind.TOKEN_REUSED, target=ended.user_id)
        raise UnauthenticatedError(WORTHLESS)
    return _pair(tokens, current.user_id, current.id, fresh, at=current.last_used_at)


async def end(transaction: Transaction, owner: CallerAccount, session_id: int) -> None:
    """`SessionNotFoundError` if the user has no such session."""
    if not await session_rows.end(transaction, session_id, owner.id):
        raise SessionNotFoundError
    _ended(transaction, owner.id, session_id)


async def revoke(database: Database, tokens: AccessTokens, text: str) -> None:
    """Ends the session of a refresh or access token. An unknown token ends nothing."""
    refresh_token = RefreshToken.parse(text)
    async with database.transaction() as transaction:
        # The ids of the account and of the session.
        ended: tuple[int, int] | None = None
        if refresh_token is not None:
            found = await session_rows.end_by_token(transaction, refresh_token)
            ended = (found.user_id, found.id) if found is not None else None
        else:
            with suppress(UnauthenticatedError):
                claims = tokens.verify(text)
                if await session_rows.end(transaction, claims.session_id, claims.user_id):
                    ended = (claims.user_id, claims.session_id)
        if ended is not None:
            _ended(transaction, *ended)


def _ended(transaction: Transaction, owner_id: int, session_id: int) -> None:
    transaction.announce(InvalidationKind.SESSION, session_id)
    audit.record(transaction, AuditKind.SESSION_ENDED, actor=owner_id, target=session_id)


def _pair(
    tokens: AccessTokens,
    user_id: int,
    session_id: int,
    refresh_token: RefreshToken,
    *,
    at: datetime | None = None,
) -> TokenPair:
    """Without `at`, issued now."""
    access_token = tokens.issue(
        user_id,
        session_id,
        at=None if at is None else at.timestamp(),
        token_id=refresh_token.access_token_id,
    )
    return TokenPair(
        access_token=access_token.text,
        expires_in=access_token.expires_in,
        refresh_token=refresh_token.text,
    )
