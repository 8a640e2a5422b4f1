"""What is deleted for good when nobody can undo it any more, or its time is over."""

from adsvc.db.database import Database
from adsvc.invalidation import NO_AD, Kind
from adsvc.repositories.moderation.retention import RetentionRepository
from adsvc.settings import Settings

# In one transaction.
BATCH = 100


async def forget_decided(database: Database, settings: Settings) -> int:
    """Removed ads and comments whose appeal is over, and cases that were decided long ago.

    How many they were. The pictures of such ads are queued for deletion along with them.
    """
    total, deleted = 0, BATCH
    while deleted == BATCH:
        async with database.transaction() as transaction:
            kept = RetentionRepository(transaction.session)
            counts = [
                await kept.delete_removed_ads(BATCH),
                await kept.delete_removed_comments(BATCH),
                await kept.delete_cases(settings.case_days, BATCH),
                await kept.delete_decisions(settings.case_days, BATCH),
            ]
            if counts[0]:
                transaction.announce(Kind.AD, NO_AD)
            deleted = max(counts)
        total += sum(counts)
    return total
