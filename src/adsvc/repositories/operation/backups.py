"""A backup suspends deletions of pictures, so that the pictures of its snapshot can be copied."""

from adsvc.db.statements import Statements
from adsvc.enums import AdvisoryLock

TRY_DELETION_LOCK = (
    f"SELECT pg_try_advisory_xact_lock_shared({AdvisoryLock.PICTURE_DELETION}) AS taken"
)
# How long deletions wait for a backup that sends nothing: its machine may be lost.
SILENCE = "60s"


async def hold_deletions(db: Statements) -> None:
    """Until the transaction ends, no picture is deleted.

    The transaction has to send a statement every minute. The pictures of a snapshot taken from
    now on stay, because a deletion checks for holds after its rows are deleted.
    """
    await db.fetch(f"SET LOCAL idle_in_transaction_session_timeout = '{SILENCE}'")
    await db.fetch("SELECT pg_advisory_xact_lock($1)", AdvisoryLock.PICTURE_DELETION)


async def show_life(db: Statements) -> None:
    """Sends a statement. Raises if the hold is lost."""
    await db.fetch("SELECT 1")


async def are_deletions_held(db: Statements) -> bool:
    """Whether a backup holds deletions. If not, none can until the transaction ends."""
    return not await db.fetchval(TRY_DELETION_LOCK)
