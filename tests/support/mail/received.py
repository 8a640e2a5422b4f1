"""The mails of an application without a mail server: one file each."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from email.message import EmailMessage
from typing import Any

from sqlalchemy import event

from adsvc.services import audit
from adsvc.settings import Jobs
from adsvc.worker.running import mail_outbox
from support.mail.server import parsed
from support.scene.api import Api, Person

WAIT_SECONDS = 30
VERIFIED = "UPDATE users SET mail = :mail, mail_verified = true WHERE id = :id"


@asynccontextmanager
async def _delivering(api: Api) -> AsyncIterator[None]:
    """Sends the mails of an application that does not, as the shared one."""
    state = api.state
    if state.settings.jobs is Jobs.ON:
        yield
        return
    outbox, transport = mail_outbox(state.settings, state.database, state.work_counts)
    state.database.changes.follow(outbox.wake)
    running = asyncio.create_task(outbox.run())
    try:
        yield
    finally:
        state.database.changes.unfollow(outbox.wake)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await transport.close()


async def sent(api: Api, *addresses: str, elsewhere: bool = False) -> list[EmailMessage]:
    """What was sent there, in its order, when nothing waits any more.

    Name addresses that no other test has: the files stay. If another process does the work, it is
    done `elsewhere`.
    """
    async with asyncio.timeout(WAIT_SECONDS), nullcontext() if elsewhere else _delivering(api):
        while await api.sql("SELECT count(*) FROM outbox WHERE dead_at IS NULL") != [0]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert await api.sql("SELECT error FROM outbox") == []
    files = sorted(api.state.settings.mail_dir.glob("*.eml"))
    # The files of other tests stay, and to parse them takes long.
    contents = [path.read_bytes() for path in files]
    wanted = [content for content in contents if any(to.encode() in content for to in addresses)]
    return [mail for mail in map(parsed, wanted) if mail["To"] in addresses]


async def subjects(api: Api, *addresses: str) -> list[str]:
    return [str(mail["Subject"]) for mail in await sent(api, *addresses)]


async def verified(api: Api, mail: str | None = None, **members: str) -> tuple[Person, str]:
    """Somebody whose address counts, and the address."""
    person = await api.person(**members)
    address = mail or person.username
    await api.sql(VERIFIED, mail=address, id=person.id)
    return person, address


def unique() -> str:
    """An address that no other test has."""
    return f"{secrets.token_hex(6)}@example.com"


@contextmanager
def statements(api: Api) -> Iterator[list[str]]:
    """What requests ask the database meanwhile, without what workers do beside them."""
    made: list[str] = []
    writer, engine = api.state.database.writer, api.state.database.engine.sync_engine

    def counting(function: Any) -> Any:
        async def call(sql: str, *values: object, **options: Any) -> Any:
            # Once in many attempts, those that have expired go.
            if audit.origin.get() is not None and not sql.strip().startswith("DELETE"):
                made.append(sql)
            return await function(sql, *values, **options)

        return call

    def record(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        if audit.origin.get() is not None:
            made.append(sql)

    event.listen(engine, "before_cursor_execute", record)
    writer.fetch = counting(writer.fetch)  # type: ignore[method-assign]
    try:
        yield made
    finally:
        event.remove(engine, "before_cursor_execute", record)
        del writer.fetch
