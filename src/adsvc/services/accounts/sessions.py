"""Sessions: logins, and the refresh of tokens (RFC 6749 §6, RFC 9700 §4.14)."""

import hashlib
import hmac
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol

from adsvc import errors
from adsvc.enums import AuditKind
from adsvc.invalidation import InvalidationKind
from adsvc.kit.addresses import client_network, wider_networks
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.records import Expected
from adsvc.kit.security.tokens import AccessTokens, Purpose, RefreshToken
from adsvc.models.accounts import User
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.accounts.sessions import FactorAt, sign_in_seen
from adsvc.schemas.auth import TokenPair
from adsvc.services import audit
from adsvc.services.installation import signed_links
from adsvc.services.mail import rendering
from adsvc.services.rate_limits import Limit, attempts_by, try_take
from adsvc.settings import Settings


class ClientRequest(Protocol):
    """A request that changes something, of a client that may be unknown."""

    @property
    def transaction(self) -> Transaction: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def address(self) -> str: ...
    @property
    def user_agent(self) -> str: ...
    @property
    def language(self) -> str | None: ...


class AccountRequest(ClientRequest, Protocol):
    """A request of an account."""

    @property
    def user(self) -> CallerAccount: ...
    # None for a caller who sent user name and password, or a key.
    @property
    def session_id(self) -> int | None: ...
    # The version that a change was made for.
    @property
    def expected(self) -> Expected: ...
    # Whether the login, or the proof of a second factor, was in the last five minutes.
    @property
    def has_fresh_login(self) -> bool: ...


BROWSERS = re.compile(r"(Firefox|Edg|OPR|Chrome|Safari)/")
SYSTEMS = re.compile(r"Windows|Android|iPhone|iPad|Mac OS X|Linux(?!; Android)")
NAMES = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}
# A browser that stands for another one names that one first.
LAST_FIRST = ("OPR", "Edg")
DEVICE_MAX_LENGTH = 60


def network_of(address: str) -> str:
    """The network that a login is known by: an address of one's own may change every day."""
    return next(reversed(wider_networks(address)), client_network(address))


def device_of(user_agent: str) -> str:
    """Browser and system of a `User-Agent` (RFC 9110 §10.1.5), else the name of its program.

    Without versions, which change by themselves.
    """
    browsers = BROWSERS.findall(user_agent)
    if not browsers:
        program = "".join(filter(str.isprintable, user_agent)).partition("/")[0]
        return program[:DEVICE_MAX_LENGTH].strip()
    browser = next((each for each in LAST_FIRST if each in browsers), browsers[0])
    found = [browser, *SYSTEMS.findall(user_agent)[:1]]
    return ", ".join(NAMES.get(name, name) for name in found)


class SignInPlace(NamedTuple):
    network: str
    device: str
    # Whether the owner gets a mail about it.
    is_news: bool


async def examine_sign_in(
    request: ClientRequest, user_id: int, network_hashes: Sequence[bytes]
) -> SignInPlace:
    """It is news if neither a login nor a session of the last 90 days was from there.

    The first login of an account is no news.
    """
    database = request.transaction.database
    network, device = network_of(request.address), device_of(request.user_agent)
    known = await sign_in_seen(database.writer, user_id, network, device, network_hashes)
    is_news = not known.is_first and not (known.knows_network and known.knows_device)
    if is_news:
        notice = attempts_by(Limit.MAILS_ABOUT_LOGINS, user_id)
        is_news = await try_take(database, request.settings, notice)
    return SignInPlace(network, device, is_news)


async def record_sign_in(transaction: Transaction, user_id: int, sign_in: SignInPlace) -> None:
    network, device, is_news = sign_in
    await session_rows.note_sign_in(transaction, user_id, network, device)
    if is_news:
        await outbox_rows.add(transaction, rendering.new_sign_in(user_id, network, device))


async def require_no_suspension(session: DatabaseSession, user: User) -> None:
    """`AccountSuspendedError` if the account is suspended now.

    Only for callers who have proved that the account is theirs: the error has the token that shows
    the decision and takes the appeal.
    """
    if user.suspended_until is None:
        return
    suspension = await user_rows.suspension_of(session, user.id)
    if suspension is None:
        return
    token = None
    if suspension.decision_id is not None:
        links = await signed_links(session, Purpose.APPEAL)
        token = links.token(user.id, str(suspension.decision_id))
    raise errors.AccountSuspendedError(suspension.until, suspension.explanation, token)


def network_digests(settings: Settings, user_id: int, address: str) -> Sequence[bytes]:
    """The digests of a network, by which the sessions of an account recognise it: one by each
    secret, that in force first.

    It is keyed, because there are so few IPv4 addresses that all could be tried. Two accounts in
    one network have different digests.
    """
    message = f"adsvc network\0{user_id}\0{client_network(address)}".encode()
    secrets = settings.jwt_secrets()
    return [hmac.digest(secret.encode(), message, hashlib.sha256)[:16] for secret in secrets]


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
    network_hashes = network_digests(settings, user.id, request.address)
    sign_in = None
    if is_login:
        # Before the session begins, because it takes another connection.
        sign_in = await examine_sign_in(request, user.id, network_hashes)
    refresh_token = RefreshToken.new()
    # By its beginning people recognise a session.
    printable = "".join(filter(str.isprintable, request.user_agent))
    session_id = await session_rows.add(
        transaction,
        user,
        refresh_token,
        client=printable[:CLIENT_MAX_LENGTH].strip(),
        network_hash=network_hashes[0],
        lifetime=timedelta(seconds=settings.refresh_token_seconds),
        factor_at=factor_at,
    )
    if session_id is None:
        # The password was changed, an app set up, or the account deleted, while the old password
        # was verified.
        raise errors.WrongCredentialsError
    for ended in await session_rows.end_surplus(
        transaction, user.id, keep=settings.sessions_per_user
    ):
        _ended(transaction, user.id, ended)
    audit.record(transaction, AuditKind.SESSION_BEGAN, actor=user.id, target=session_id)
    if sign_in is not None:
        await record_sign_in(transaction, user.id, sign_in)
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
        raise errors.UnauthenticatedError(WORTHLESS)
    # Another process may have begun with the other secret of a rotation.
    successors = [spent.next(secret) for secret in settings.jwt_secrets()]
    fresh = successors[0]
    now = datetime.now(UTC)
    lifetime = timedelta(seconds=settings.refresh_token_seconds)
    async with database.autocommit() as session:
        rotated = await session_rows.rotate(session, spent, fresh, at=now, lifetime=lifetime)
        current = rotated
        while current is None and successors:
            fresh = successors.pop(0)
            current = await session_rows.rotated_near(session, fresh, now, grace=GRACE)
        ended = await session_rows.end_by_token(session, spent) if current is None else None
        if rotated is not None:
            # A session's network seldom changes.
            network_hash = network_digests(settings, rotated.user_id, address)[0]
            if rotated.network_hash != network_hash:
                await session_rows.set_network(session, rotated.id, network_hash)
    if current is None:
        if ended is not None:
            database.changes.apply(Invalidation(InvalidationKind.SESSION, str(ended.id)))
            if ended.secret_hash != spent.secret_hash:
                await audit.report(database, AuditKind.TOKEN_REUSED, target=ended.user_id)
        raise errors.UnauthenticatedError(WORTHLESS)
    return _pair(tokens, current.user_id, current.id, fresh, at=current.last_used_at)


async def end(transaction: Transaction, owner: CallerAccount, session_id: int) -> None:
    """`SessionNotFoundError` if the user has no such session."""
    if not await session_rows.end(transaction, session_id, owner.id):
        raise errors.SessionNotFoundError
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
            with suppress(errors.UnauthenticatedError):
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
