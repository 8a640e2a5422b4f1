"""Mails that are due, delivered in the test's own time."""

from typing import Any

from adsvc.repositories import outbox as outbox_rows
from adsvc.services.mail.delivery import MailDeliveries
from support.mail.server import parsed
from support.scene.api import Api


class Sent:
    """A transport that keeps the mails."""

    def __init__(self) -> None:
        self.mails: list[Any] = []

    async def send(self, mail: Any) -> str:
        self.mails.append(parsed(mail.content))
        return "kept"

    async def rest(self) -> None: ...

    async def close(self) -> None: ...


async def deliver(api: Api, *, attempts: int = 1) -> list[Any]:
    """The mails that are due, in their order; each is sent so often before it is recorded."""
    state, transport = api.state, Sent()
    deliveries = MailDeliveries(state.database, state.settings, transport)
    while entries := await outbox_rows.claim(
        state.database.writer, deliveries.kinds, 100, seconds=60
    ):
        for entry in sorted(entries, key=lambda each: each.id):
            for _ in range(attempts):
                await deliveries.deliver(entry)
            await outbox_rows.delete_claimed(state.database.writer, [entry.id])
    return transport.mails
