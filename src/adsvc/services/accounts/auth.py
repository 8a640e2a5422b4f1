from pydantic import ValidationError

from adsvc.db.database import Database, Transaction
from adsvc.errors import UsernameTakenError, WrongCredentialsError
from adsvc.limits import Limits
from adsvc.models import User
from adsvc.repositories import UserRepository
from adsvc.schemas.auth import Login, Register
from adsvc.security import Passwords
from adsvc.services import audit


async def authenticate(database: Database, passwords: Passwords, login: Login) -> User:
    """The user whose name and password these are, or `WrongCredentialsError`.

    No connection is held while the password is hashed. Unknown names, and accounts whose hash was
    brought along, cost the same work.
    """
    async with database.autocommit() as session:
        users = UserRepository(session)
        user = await users.get_by_username(login.username)
        cost = await users.highest_bcrypt_cost()
    stored = user.password_hash if user else None
    valid, replacement = await passwords.verify(login.password, stored, bcrypt_cost=cost)
    if user is None or not valid:
        target = user.id if user else None
        await audit.report(database, audit.Event.LOGIN_FAILED, target=target)
        raise WrongCredentialsError
    if replacement is not None:
        async with database.autocommit() as session:
            users = UserRepository(session)
            replaced = await users.replace_password_hash(user.id, user.password_hash, replacement)
        if not replaced:
            # Another login or a change of the password came first: what counts is the newer hash.
            return await authenticate(database, passwords, login)
        user.password_hash = replacement
    return user


async def register(transaction: Transaction, passwords: Passwords, registration: Register) -> User:
    """The new user, or `UsernameTakenError`."""
    password_hash = await passwords.hash(registration.password)
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


def checked_login(username: str, password: str, limits: Limits) -> Login:
    """The record, for credentials that did not come as JSON; what it cannot hold is wrong."""
    try:
        return Login.model_validate({"username": username, "password": password}, context=limits)
    except ValidationError:
        raise WrongCredentialsError from None
