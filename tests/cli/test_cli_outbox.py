import pytest
from sqlalchemy import make_url

from adsvc.kit.db.database import Database
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import NewEntry
from conftest import Environment
from support.running.commands import done, refused
from support.running.processes import free_port


async def give_up_one_of_two(environment: Environment) -> int:
    database = Database(make_url(environment["ADSVC_DATABASE_URL"]))
    async with database.transaction() as transaction:
        entries = NewEntry("letter", {"user_id": 7}), NewEntry("letter", {"user_id": 8})
        await outbox_rows.add(transaction, *entries)
    [claimed] = await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60)
    await outbox_rows.mark_dead(database.writer, claimed, "550 no such mailbox")
    await database.close()
    return claimed.id


@pytest.mark.heavy
async def test_what_was_given_up_is_listed_and_begins_anew(environment: Environment) -> None:
    dead = await give_up_one_of_two(environment)
    [line] = done("outbox", "list", "--dead", environment=environment).splitlines()
    assert line.split("\t")[:3] == [str(dead), "dead", "letter"]
    assert line.endswith("550 no such mailbox")
    assert len(done("outbox", "list", environment=environment).splitlines()) == 2
    assert "99" in refused("outbox", "retry", "99", environment=environment)
    assert "Dead letters retried: 1." in done("outbox", "retry", str(dead), environment=environment)
    assert done("outbox", "list", "--dead", environment=environment) == ""
    assert "Dead letters retried: 0." in done("outbox", "retry", "--all", environment=environment)


@pytest.mark.heavy
def test_a_mail_server_needs_a_sender_and_a_site(environment: Environment) -> None:
    server = {"ADSVC_SMTP_URL": f"smtp://127.0.0.1:{free_port()}"}
    told = refused("outbox", "list", environment=environment | server)
    assert "ADSVC_MAIL_FROM and ADSVC_SITE_URL" in told
