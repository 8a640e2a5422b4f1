"""A backup suspends deletions of pictures, so that the pictures of its snapshot can be copied."""

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Statements
from adsvc.enums import AdvisoryLock

TRY_DELETION_LOCK = (
    f"SELECT pg_try_advisory_xact_lock_shared({AdvisoryLock.PICTURE_DELETION}) AS taken"
)
# How long deletions wait for a backup that sends nothing: its machine may be lost.
SILENCE = "60s"


class DeletionHold:
    def __init__(self, session: DatabaseSession) -> None:
        self._statements = session

    async def hold_deletions(self) -> None:
        """Until the transaction ends, no picture is deleted.

        The transaction has to send a statement every minute. The pictures of a snapshot taken from
        now on stay, because a deletion checks for holds after its rows are deleted.
        """
        await self._statements.fetch(f"SET LOCAL idle_in_transaction_session_timeout = '{SILENCE}'")
        await self._statements.fetch(
            "SELECT pg_advisory_xact_lock($1)", AdvisoryLock.PICTURE_DELETION
        )

    async def show_life(self) -> None:
        """Sends a statement. Raises if the hold is lost."""
        await self._statements.fetch("SELECT 1")

    async def are_deletions_held(self) -> bool:
        """Whether a backup holds deletions. If not, none can until the transaction ends."""
        return not await self._statements.fetchval(TRY_DELETION_LOCK)


async def are_deletions_held_by(writer: Statements) -> bool:
    """As `DeletionHold.are_deletions_held`, at this moment only."""
    row = await writer.fetchrow(TRY_DELETION_LOCK)
    return row is None or not row["taken"]
