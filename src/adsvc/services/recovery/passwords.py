"""Forgotten passwords (OWASP Forgot Password Cheat Sheet, NIST SP 800-63B §6.1.2.3).

Who asks learns nothing of whether there is such an account: the request does the same for every
name, and a worker finds out.
"""

from adsvc.db.database import Transaction
from adsvc.errors import InvalidRequestError, InvalidTokenError
from adsvc.models import TokenPurpose, User
from adsvc.models.user import username_key
from adsvc.repositories import OutboxRepository, UserRepository
from adsvc.repositories.accounts.mail_tokens import MailTokenRepository
from adsvc.schemas.accounts.recovery import ResetPassword
from adsvc.security.tokens import LinkToken
from adsvc.services.accounts import passwords, rate_limits, users
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.mail import letters
from adsvc.settings import Settings


async def forgot(
    transaction: Transaction, settings: Settings, username: str, *, address: str,
    language: str | None,
) -> None:  # fmt: skip
    """`RateLimitedError` for the client's address alone; of one name, too many are left out."""
    limit = rate_limits.mails_from_address(settings)
    counts = rate_limits.count_address(settings, limit, address)
    await rate_limits.take_all(transaction.database, settings, *counts)
    target = rate_limits.mails_to_target(settings)
    of_name = rate_limits.count(target, "name", username_key(username))
    if await rate_limits.take_quietly(transaction.database, settings, of_name):
        entry = letters.recovery(username, language)
        await OutboxRepository(transaction.session).add(entry)


async def reset(
    transaction: Transaction,
    credentials: Credentials,
    settings: Settings,
    proof: ResetPassword,
    *,
    address: str,
) -> None:
    """Replaces the password of the token's account, or raises `InvalidTokenError`."""
    limit = rate_limits.mails_from_address(settings)
    counts = rate_limits.count_address(settings, limit, address)
    await rate_limits.take_all(transaction.database, settings, *counts)
    token = LinkToken(proof.token)
    owner = await _owner(transaction, token)
    # Only who has a token is told what the account's names have to do with the password.
    sent = {"newPassword": proof.new_password}
    names = owner.username, owner.first_name, owner.last_name
    faults = passwords.faults_of(settings, sent, "newPassword", *names)
    if faults:
        raise InvalidRequestError(*faults)
    password_hash = await credentials.hash(
        proof.new_password, username=owner.username, address=address
    )
    user = await UserRepository(transaction.session).lock(owner.id)
    tokens = MailTokenRepository(transaction.session)
    proved = None if user is None else await tokens.take(token.hash, TokenPurpose.RESET)
    if user is None or proved is None or not (user.mail_verified and user.mail == proved):
        raise InvalidTokenError
    await users.replace_forgotten_password(transaction, user, password_hash)


async def _owner(transaction: Transaction, token: LinkToken) -> User:
    """Whose token it is, before any work. No connection is held afterwards."""
    async with transaction.database.autocommit() as session:
        owner = await MailTokenRepository(session).owner(token.hash, TokenPurpose.RESET)
        user = None if owner is None else await UserRepository(session).get(owner)
    if user is None:
        raise InvalidTokenError
    return user
