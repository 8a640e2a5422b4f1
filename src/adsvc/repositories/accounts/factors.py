"""Second factors. What is used up is deleted or moved on by the statement that compares it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import case, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Statements
from adsvc.models import Passkey, RecoveryCode, Totp, UsedChallenge, User
from adsvc.repositories.accounts.sessions import began_at

DELETE_EXPIRED = """
    WITH deleted AS (
        DELETE FROM used_challenges WHERE id = ANY (ARRAY(
            SELECT id FROM used_challenges WHERE expires_at <= now()
            ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
        )) RETURNING TRUE
    )
    SELECT count(*)::int AS deleted FROM deleted
"""


async def delete_expired_challenges(writer: Statements) -> int:
    """Returns how many, up to 1000."""
    row = await writer.fetchrow(DELETE_EXPIRED)
    return 0 if row is None else int(row["deleted"])


async def codes_left(rows: Statements, user_id: int) -> int:
    """How many recovery codes the account has not used."""
    row = await rows.fetchrow("SELECT count(*) FROM recovery_codes WHERE user_id = $1", user_id)
    return row["count"] if row else 0


class FactorRepository:
    def __init__(self, session: DatabaseSession) -> None:
        self._session = session

    async def totp(self, user_id: int) -> Totp | None:
        return await self._session.scalar(select(Totp).where(Totp.user_id == user_id))

    async def set_pending(self, user_id: int, pending: bytes) -> None:
        added = insert(Totp).values(user_id=user_id, pending=pending)
        await self._session.execute(
            added.on_conflict_do_update(index_elements=[Totp.user_id], set_={"pending": pending})
        )

    async def confirm(
        self, user_id: int, pending: bytes, step: int, *, session_id: int | None
    ) -> bool:
        """False if the pending secret is another one by now.

        An app that takes the place of another one is not younger than that: a code of it was
        needed.
        """
        is_new = Totp.secret.is_(None)
        set_at = case((is_new, func.now()), else_=Totp.set_at)
        session_began_at = case((is_new, began_at(session_id)), else_=Totp.session_began_at)
        statement = (
            update(Totp)
            .where(Totp.user_id == user_id, Totp.pending == pending)
            .values(
                secret=pending,
                last_step=step,
                pending=None,
                set_at=set_at,
                session_began_at=session_began_at,
            )
            .returning(Totp.user_id)
        )
        if await self._session.scalar(statement) is None:
            return False
        await self._set_totp(user_id, has_totp=True)
        return True

    async def use_step(self, user_id: int, secret: bytes, step: int) -> bool:
        """False if a code of this step, or of a later one, was used before."""
        statement = (
            update(Totp)
            .where(
                Totp.user_id == user_id,
                Totp.secret == secret,
                or_(Totp.last_step.is_(None), Totp.last_step < step),
            )
            .values(last_step=step)
            .returning(Totp.user_id)
        )
        return await self._session.scalar(statement) is not None

    async def remove_totp(self, user_id: int) -> None:
        """With its recovery codes."""
        await self._session.execute(delete(Totp).where(Totp.user_id == user_id))
        await self.replace_codes(user_id, ())
        await self._set_totp(user_id, has_totp=False)

    async def _set_totp(self, user_id: int, *, has_totp: bool) -> None:
        await self._session.execute(
            update(User).where(User.id == user_id).values(has_totp=has_totp)
        )

    async def replace_codes(self, user_id: int, hashes: Collection[bytes]) -> None:
        await self._session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
        rows = [{"user_id": user_id, "hash": hash_} for hash_ in hashes]
        if rows:
            await self._session.execute(insert(RecoveryCode).values(rows))

    async def use_code(self, user_id: int, hash_: bytes) -> bool:
        statement = delete(RecoveryCode).where(
            RecoveryCode.user_id == user_id, RecoveryCode.hash == hash_
        )
        return await self._session.scalar(statement.returning(RecoveryCode.user_id)) is not None

    async def codes_left(self, user_id: int) -> int:
        return await codes_left(self._session, user_id)

    async def passkeys(self, user_id: int) -> Sequence[Passkey]:
        """The newest first."""
        query = select(Passkey).where(Passkey.user_id == user_id).order_by(Passkey.id.desc())
        return (await self._session.scalars(query)).all()

    async def passkeys_by_host(self) -> dict[str, int]:
        """Of all accounts: how many were made for each host."""
        query = select(Passkey.rp_id, func.count()).group_by(Passkey.rp_id).order_by(Passkey.rp_id)
        return dict((await self._session.execute(query)).all())

    async def passkey(self, credential_id: bytes) -> Passkey | None:
        query = select(Passkey).where(Passkey.credential_id == credential_id)
        return await self._session.scalar(query)

    async def add_passkey(
        self,
        user_id: int,
        *,
        session_id: int | None,
        **values: Any,  # noqa: ANN401 - columns
    ) -> Passkey | None:
        """None if there is such a credential already."""
        values["session_began_at"] = began_at(session_id)
        added = insert(Passkey).values(user_id=user_id, **values).on_conflict_do_nothing()
        passkey = await self._session.scalar(added.returning(Passkey))
        if passkey is not None:
            await self._set_passkey(user_id, has_passkey=True)
        return passkey

    async def use_passkey(self, passkey_id: int, sign_count: int, *, backed_up: bool) -> bool:
        """False if its counter has not risen, unless it does not count."""
        counts = Passkey.sign_count < sign_count
        if sign_count == 0:
            counts = Passkey.sign_count == 0
        statement = (
            update(Passkey)
            .where(Passkey.id == passkey_id, counts)
            .values(sign_count=sign_count, backed_up=backed_up, last_used_at=func.now())
            .returning(Passkey.id)
        )
        return await self._session.scalar(statement) is not None

    async def remove_passkeys(self, user_id: int, passkey_id: int | None = None) -> bool:
        """That one, or all of the account. False if it has none of them."""
        statement = delete(Passkey).where(Passkey.user_id == user_id)
        if passkey_id is not None:
            statement = statement.where(Passkey.id == passkey_id)
        removed = (await self._session.scalars(statement.returning(Passkey.id))).all()
        if not await self.passkeys(user_id):
            await self._set_passkey(user_id, has_passkey=False)
        return bool(removed)

    async def remove_added_since(self, user_id: int, moment: datetime) -> tuple[bool, int]:
        """The app with its recovery codes, and passkeys, of sessions from that moment on.

        Returns whether there was such an app, and how many such passkeys.
        """
        app = select(Totp.user_id).where(
            Totp.user_id == user_id, func.coalesce(Totp.session_began_at, Totp.set_at) >= moment
        )
        had_app = await self._session.scalar(app) is not None
        if had_app:
            await self.remove_totp(user_id)
        added_in = func.coalesce(Passkey.session_began_at, Passkey.created_at)
        added = delete(Passkey).where(Passkey.user_id == user_id, added_in >= moment)
        removed = (await self._session.scalars(added.returning(Passkey.id))).all()
        if not await self.passkeys(user_id):
            await self._set_passkey(user_id, has_passkey=False)
        return had_app, len(removed)

    async def _set_passkey(self, user_id: int, *, has_passkey: bool) -> None:
        await self._session.execute(
            update(User).where(User.id == user_id).values(has_passkey=has_passkey)
        )

    async def is_used(self, challenge_id: str) -> bool:
        """Whether the challenge was used before."""
        return await self._session.get(UsedChallenge, challenge_id) is not None

    async def use_challenge(self, challenge_id: str, expires_at: datetime) -> bool:
        """False if it was used before."""
        added = insert(UsedChallenge).values(id=challenge_id, expires_at=expires_at)
        once = added.on_conflict_do_nothing().returning(UsedChallenge.id)
        return await self._session.scalar(once) is not None
