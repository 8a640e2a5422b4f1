from adsvc.db.database import Database, Transaction
from adsvc.errors import UsernameTakenError
from adsvc.models import User
from adsvc.repositories import OutboxRepository, UserRepository
from adsvc.schemas.auth import Register
from adsvc.schemas.names import mailbox, normalised
from adsvc.services.accounts import rate_limits
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.mail import rendering
from adsvc.settings import Settings


async def require_free(database: Database, username: str) -> None:
    """`UsernameTakenError` if the name is taken."""
    async with database.autocommit() as session:
        if await UserRepository(session).id_of(username) is not None:
            raise UsernameTakenError


async def register(
    transaction: Transaction,
    credentials: Credentials,
    settings: Settings,
    registration: Register,
    *,
    address: str,
    language: str | None,
) -> User:
    """The new user, or `UsernameTakenError`.

    If the user name is a mail address, a mail with a link confirms it.
    """
    mail = normalised(registration.username)
    password_hash = await credentials.hash(
        registration.password, username=registration.username, address=address
    )
    user = await UserRepository(transaction.session).add(
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
    if mail is not None:
        # The account is made even if the mail is over a limit: the client must not learn whether
        # others have had mail sent to that address.
        from_address = rate_limits.mails_from_address(settings)
        counts = (
            rate_limits.count(rate_limits.mails_to_target(settings), mailbox(mail)),
            *rate_limits.count_address(settings, from_address, address),
        )
        if await rate_limits.take_quietly(transaction.database, settings, *counts):
            entry = rendering.verification(user.id, mail, language)
            await OutboxRepository(transaction.session).add(entry)
    return user
