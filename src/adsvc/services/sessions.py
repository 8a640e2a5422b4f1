"""Logins and what keeps them going (RFC 6749 §6, RFC 9700 §4.14)."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc import audit
from adsvc.errors import UnauthenticatedError
from adsvc.models import User
from adsvc.repositories import SessionRepository
from adsvc.schemas.auth import TokenPair
from adsvc.security import AccessTokens, RefreshToken
from adsvc.settings import Settings

CLIENT_MAX_LENGTH = 120
WORTHLESS = "The refresh token is unknown, expired, or was used before."


def _describe(user_agent: str) -> str:
    """What a person can recognise a session by: the printable beginning of the client's name."""
    printable = "".join(character for character in user_agent if character.isprintable())
    return printable[:CLIENT_MAX_LENGTH].strip()


async def begin(
    session: AsyncSession, tokens: AccessTokens, settings: Settings, user: User, *, user_agent: str
) -> TokenPair:
    """A new session. The ones used longest ago end when the user has too many."""
    sessions = SessionRepository(session)
    refresh_token = RefreshToken.new()
    session_id = await sessions.add(
        user.id,
        refresh_token,
        client=_describe(user_agent),
        lifetime=timedelta(seconds=settings.refresh_token_seconds),
    )
    await sessions.end_surplus(user.id, keep=settings.sessions_per_user)
    return _pair(tokens, user.id, session_id, refresh_token)


async def refresh(
    session: AsyncSession, tokens: AccessTokens, settings: Settings, text: str
) -> TokenPair:
    """The session's next tokens, or `UnauthenticatedError`.

    A token that was used before has been stolen, by whoever uses it now or by whoever used it
    first; which of them is the owner cannot be told, so the session ends. Each statement must
    stand alone (an autocommitting session), for the refusal must not undo that.
    """
    spent = RefreshToken.parse(text)
    if spent is None:
        raise UnauthenticatedError(WORTHLESS)
    sessions = SessionRepository(session)
    fresh = spent.next()
    lifetime = timedelta(seconds=settings.refresh_token_seconds)
    rotated = await sessions.rotate(spent, fresh, lifetime=lifetime)
    if rotated is None:
        victim = await sessions.end_by_token(spent)
        if victim is not None:
            audit.record(audit.Event.TOKEN_REUSED, target=victim)
        raise UnauthenticatedError(WORTHLESS)
    return _pair(tokens, rotated.user_id, rotated.id, fresh)


async def revoke(session: AsyncSession, tokens: AccessTokens, text: str) -> None:
    """Ends the session of a refresh or access token; an unknown token ends nothing."""
    sessions = SessionRepository(session)
    refresh_token = RefreshToken.parse(text)
    if refresh_token is not None:
        await sessions.end_by_token(refresh_token)
        return
    try:
        claims = tokens.verify(text)
    except UnauthenticatedError:
        return
    await sessions.end(claims.session_id, claims.user_id)


def _pair(
    tokens: AccessTokens, user_id: int, session_id: int, refresh_token: RefreshToken
) -> TokenPair:
    access_token = tokens.issue(user_id, session_id)
    return TokenPair(
        access_token=access_token.text,
        expires_in=access_token.expires_in,
        refresh_token=refresh_token.text,
    )
