"""Mails that are due, delivered in the test's own time."""

from typing import Any

from adsvc.repositories.outbox import OutboxWorkRepository
from adsvc.services.mail.delivery import MailDeliveries
from support.mail.server import parsed
from support.scene.api import Api


class Sent:
    """A transport that keeps the mails."""

    def __init__(self) -> None:
        self.mails: list[Any] = []

    async def send(self, mail: Any) -> None:
        self.mails.append(parsed(mail.content))

    async def rest(self) -> None: ...

    async def close(self) -> None: ...


async def deliver(api: Api, *, attempts: int = 1) -> list[Any]:
    """The mails that are due, in their order; each is sent so often before it is recorded."""
    state, transport = api.state, Sent()
    deliveries = MailDeliveries(state.database, state.settings, transport)
    outbox = OutboxWorkRepository(state.database.reader, state.database.writer)
    while entries := await outbox.claim(deliveries.kinds, 100, seconds=60):
        for entry in sorted(entries, key=lambda each: each.id):
            for _ in range(attempts):
                await deliveries.deliver(entry)
            await outbox.delete([entry.id])
    return transport.mails
