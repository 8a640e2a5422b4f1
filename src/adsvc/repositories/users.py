from collections.abc import AsyncIterator, Sequence

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import Role, User
from adsvc.models.user import username_key


class UserRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, user_id: int) -> User | None:
        return await self._session.get(User, user_id)

    async def get_by_username(self, username: str) -> User | None:
        """The account of that name, in whatever case it is written."""
        query = select(User).where(User.username_key == username_key(username))
        return await self._session.scalar(query)

    async def add(
        self, username: str, password_hash: str, *, first_name: str, last_name: str, phone: str
    ) -> User | None:
        """None if the name is taken; concurrent registrations of one name end with one account."""
        statement = (
            insert(User)
            .values(
                username=username,
                username_key=username_key(username),
                password_hash=password_hash,
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                role=Role.USER,
            )
            .on_conflict_do_nothing(index_elements=[User.username_key])
            .returning(User)
        )
        return await self._session.scalar(statement)

    async def replace_password_hash(self, user_id: int, old: str, new: str) -> None:
        """Nothing happens if the stored hash is no longer `old`."""
        await self._session.execute(
            update(User)
            .where(User.id == user_id, User.password_hash == old)
            .values(password_hash=new)
        )

    async def set_password_hash(self, user_id: int, new: str) -> None:
        await self._session.execute(
            update(User).where(User.id == user_id).values(password_hash=new)
        )

    async def set_role(self, user_id: int, role: Role) -> None:
        await self._session.execute(update(User).where(User.id == user_id).values(role=role))

    async def get_all_by_username(self, usernames: Sequence[str]) -> Sequence[User]:
        keys = [username_key(username) for username in usernames]
        query = select(User).where(User.username_key.in_(keys)).order_by(User.id)
        return (await self._session.scalars(query)).all()

    async def stream(self) -> AsyncIterator[User]:
        async for user in await self._session.stream_scalars(select(User).order_by(User.id)):
            yield user
