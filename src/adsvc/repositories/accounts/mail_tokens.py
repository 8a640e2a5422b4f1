from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select

from adsvc.enums import TokenPurpose
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.models.accounts import MailToken

# The statement locks the account. So a change of its address or password comes either before, and
# no token is made for an address that is no longer valid, or afterwards, and deletes the token.
INSERT_HASH = """
    WITH owner AS (
        SELECT id FROM users WHERE id = $1 AND CASE $3::text
            WHEN 'verify' THEN mail_pending = $4 OR (mail = $4 AND NOT mail_verified)
            ELSE mail = $4 AND mail_verified
        END FOR SHARE
    )
    INSERT INTO mail_tokens (hash, user_id, purpose, address, expires_at)
    SELECT $2, id, $3::text, $4,
        coalesce($6::timestamptz, now()) + make_interval(secs => $5::float8) FROM owner
    RETURNING TRUE AS added
"""

SELECT_ADDRESSEE = "SELECT mail, mail_verified, language FROM users WHERE id = $1"

# An account that is given is found by its id; otherwise all are read.
UNVERIFY_ADDRESS = """
    UPDATE users SET mail_verified = false
    WHERE mail = $1 AND mail_verified AND ($2::bigint IS NULL OR id = $2) RETURNING id
"""


async def add_token(
    db: Statements,
    token_hash: bytes,
    user_id: int,
    purpose: TokenPurpose,
    address: str,
    *,
    seconds: float,
    since: datetime | None = None,
) -> bool:
    """Adds a token, good for so long from now, or from `since` on.

    False if the address is not the account's, or not right for the purpose.
    """
    row = await db.fetchrow(
        INSERT_HASH, user_id, token_hash, purpose.value, address, seconds, since
    )
    return row is not None


class Addressee(NamedTuple):
    mail: str | None
    mail_verified: bool
    language: str | None


async def addressee(db: Statements, user_id: int) -> Addressee | None:
    """The account's address for mails, by the writer: a replica may not have it yet."""
    row = await db.fetchrow(SELECT_ADDRESSEE, user_id)
    return None if row is None else Addressee(**row)


async def note_bounce(db: Statements, address: str, user_id: int | None = None) -> Sequence[int]:
    """The address is verified no longer, of any account or of that one. Returns the accounts."""
    return [row["id"] for row in await db.fetch(UNVERIFY_ADDRESS, address, user_id)]


async def owner(db: DatabaseSession, token_hash: bytes, purpose: TokenPurpose) -> int | None:
    """The token's account, if the token is valid."""
    query = select(MailToken.user_id).where(
        MailToken.hash == token_hash,
        MailToken.purpose == purpose,
        MailToken.expires_at > func.now(),
    )
    return await db.scalar(query)


async def expires_at(db: DatabaseSession, token_hash: bytes) -> datetime | None:
    return await db.scalar(select(MailToken.expires_at).where(MailToken.hash == token_hash))


async def take(db: DatabaseSession, token_hash: bytes, purpose: TokenPurpose) -> str | None:
    """Uses the token, and returns the address that it verifies. None if it is not valid.

    Of several uses at once one succeeds. Call it after locking the account, because changes of
    the account delete its tokens.
    """
    statement = (
        delete(MailToken)
        .where(
            MailToken.hash == token_hash,
            MailToken.purpose == purpose,
            MailToken.expires_at > func.now(),
        )
        .returning(MailToken.address)
    )
    return await db.scalar(statement)


async def void(db: DatabaseSession, user_id: int) -> None:
    """Deletes the tokens of the account, but for those that report a login.

    What a thief has changed must not keep the owner from saying so.
    """
    statement = delete(MailToken).where(MailToken.user_id == user_id)
    await db.execute(statement.where(MailToken.purpose != TokenPurpose.REPORT))


async def void_all(db: DatabaseSession, user_id: int) -> None:
    await db.execute(delete(MailToken).where(MailToken.user_id == user_id))
