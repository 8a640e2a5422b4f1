"""How many mails a mailbox gets that its owner may not have asked for.

The client never learns that it was one too many: a refusal would reveal that somebody else has had
mail sent to that address.
"""

from dataclasses import dataclass

from adsvc.db.database import Database
from adsvc.schemas.mail_addresses import mailbox
from adsvc.services.accounts import rate_limits
from adsvc.settings import Settings


@dataclass(frozen=True, slots=True)
class Mailboxes:
    """`services.mail.delivery.Mailboxes`, by the limits that requests count by."""

    database: Database
    settings: Settings

    async def take(self, address: str) -> bool:
        return await rate_limits.take_quietly(
            self.database, self.settings, to_mailbox(self.settings, address)
        )

    async def give_back(self, address: str) -> None:
        limit = rate_limits.mails_to_target(self.settings)
        await rate_limits.give_back(self.database, self.settings, limit, mailbox(address))


def to_mailbox(settings: Settings, mail: str) -> rate_limits.Count:
    """One mail, whoever has it sent."""
    return rate_limits.count(rate_limits.mails_to_target(settings), mailbox(mail))


async def has_room(
    database: Database, settings: Settings, mail: str, *, user_id: int, address: str
) -> bool:
    """Counts a mail to an address that the account says is its own; False if it is one too many.

    What others have sent to the mailbox cannot keep its owner from proving it: where there is no
    room left, each account still gets one mail in a window, and the network of `address` no more of
    these than the mailbox has room for.
    """
    if await rate_limits.take_quietly(database, settings, to_mailbox(settings, mail)):
        return True
    target, own = rate_limits.mails_to_target(settings), rate_limits.mails_to_own_address(settings)
    return await rate_limits.take_quietly(
        database,
        settings,
        rate_limits.count(own, str(user_id), mailbox(mail)),
        *rate_limits.count_address(settings, target, address, mailbox(mail)),
    )
