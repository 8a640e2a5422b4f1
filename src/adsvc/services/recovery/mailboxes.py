"""How many mails a mailbox gets that its owner may not have asked for."""

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
        limit = rate_limits.mails_to_target(self.settings)
        return await rate_limits.take_quietly(self.database, self.settings, limit, mailbox(address))

    async def give_back(self, address: str) -> None:
        limit = rate_limits.mails_to_target(self.settings)
        await rate_limits.give_back(self.database, self.settings, limit, mailbox(address))
