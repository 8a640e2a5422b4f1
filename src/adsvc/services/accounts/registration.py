from adsvc.db.database import Database, Transaction
from adsvc.errors import UsernameTakenError
from adsvc.models import User
from adsvc.repositories import UserRepository
from adsvc.schemas.auth import Register
from adsvc.services.accounts.credentials import Credentials


async def require_free(database: Database, username: str) -> None:
    """`UsernameTakenError` if somebody has that name."""
    async with database.autocommit() as session:
        if await UserRepository(session).id_of(username) is not None:
            raise UsernameTakenError


async def register(
    transaction: Transaction, credentials: Credentials, registration: Register
) -> User:
    """The new user, or `UsernameTakenError`."""
    password_hash = await credentials.hash(registration.password)
    user = await UserRepository(transaction.session).add(
        registration.username,
        password_hash,
        first_name=registration.first_name,
        last_name=registration.last_name,
        phone=registration.phone,
    )
    if user is None:
        raise UsernameTakenError
    return user
