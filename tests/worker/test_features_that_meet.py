"""Two features that meet: each starts from the state that the other one leaves."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from adsvc.kit.db.servers import Servers
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.events import SequencerRepository
from adsvc.services import conversations, following, retention
from adsvc.services.mail.delivery import MailDeliveries, transport_of
from conftest import ApiFactory, DatabaseFactory
from support.mail.server import parsed, text_of
from support.outside.receiver import receiving
from support.scene.api import Api, Person
from support.scene.moderation import decide, moderator, only_case, undo
from support.scene.searches import Matching
from support.scene.talk import inbox, talk, write

pytestmark = pytest.mark.heavy

LETTER = "Hello dear, is item available?"
TWO_ADS = """
    INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, role)
        VALUES ('anna', 'anna', '', '', '', '', 'USER');
    INSERT INTO ads (author_id, title, description, price, image, status)
        SELECT 1, 'Oak', 'Oak.', 1, 'image' || n, 'active' FROM generate_series(1, 2) n;
"""
DUE = "SELECT round(extract(epoch FROM due_at - now()) / 3600) FROM saved_searches"


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """No worker works on its database but what the test runs."""
    async with start_own_api(jobs="off", webhook_networks=["127.0.0.0/8"]) as started:
        yield started


async def reader(api: Api) -> Person:
    person = await api.person()
    await api.sql(
        "UPDATE users SET mail = username, mail_verified = true WHERE id = :id", id=person.id
    )
    return person


async def mailed(api: Api, person: Person) -> list[str]:
    """Delivers what waits; the texts of all mails to that account so far."""
    state = api.state
    transport = transport_of(state.settings)
    deliveries = MailDeliveries(state.database, state.settings, transport)
    while entries := await outbox_rows.claim(
        state.database.writer, deliveries.kinds, 10, seconds=60
    ):
        for entry in entries:
            await deliveries.deliver(entry)
        await outbox_rows.delete_claimed(state.database.writer, [entry.id for entry in entries])
    files = sorted(state.settings.mail_dir.glob("*.eml"))
    mails = [parsed(path.read_bytes()) for path in files]
    return [text_of(mail) for mail in mails if mail["To"] == person.username]


async def saved(person: Person, notify: str) -> str:
    """The path of a search for oak."""
    sent = {"query": "q=oak", "name": "Oak", "notify": notify}
    answer = await person.post("/users/me/searches", json=sent)
    assert answer.status_code == 201, answer.text
    return f"/users/me/searches/{answer.json()['id']}"


async def match(api: Api, matching: Matching) -> None:
    await (await api.person()).post_ad(title="Oak table")
    await matching.step()


async def send_alerts(api: Api) -> None:
    while await following.send_alerts(api.state.database):
        pass


async def test_an_alert_whose_search_is_silenced_while_its_mail_waits_is_not_mailed(
    api: Api,
) -> None:
    person, matching = await reader(api), Matching(api)
    await matching.begin()
    path = await saved(person, "instant")
    await match(api, matching)
    await send_alerts(api)
    assert await api.sql("SELECT count(*) FROM outbox") == [1]
    assert (await person.patch(path, json={"notify": "never"})).status_code == 200
    assert await mailed(api, person) == []
    assert await api.sql("SELECT count(*) FROM outbox") == [0]


@pytest.mark.parametrize(
    ("before", "after", "hours"),
    [("weekly", "daily", 24), ("daily", "weekly", 168), ("weekly", "instant", 0)],
)
async def test_a_changed_pace_moves_the_alert_that_is_due(
    api: Api, before: str, after: str, hours: int
) -> None:
    person, matching = await reader(api), Matching(api)
    await matching.begin()
    path = await saved(person, before)
    await match(api, matching)
    await send_alerts(api)
    assert await api.sql(DUE) == [{"daily": 24, "weekly": 168}[before]]
    assert (await person.patch(path, json={"notify": after})).status_code == 200
    assert await api.sql(DUE) == [hours]
    await send_alerts(api)
    assert len(await mailed(api, person)) == (1 if after == "instant" else 0)


async def test_a_mail_about_messages_quotes_those_of_the_other_party_alone(api: Api) -> None:
    """The receiver has answered without marking anything as read."""
    seller = await reader(api)
    found = await talk(api, seller)
    await write(seller, found.path, "My own answer")
    await write(found.buyer, found.path, "And what does it weigh?")
    await api.sql("UPDATE conversations SET seller_mail_due = seller_mail_due - interval '121 s'")
    await conversations.queue_mails(api.state.database)
    [text] = await mailed(api, seller)
    for quoted in ("Is it still there?", "And what does it weigh?"):
        assert f"“{quoted}”" in text
    assert "My own answer" not in text


async def test_a_change_that_is_committed_after_a_move_survives_the_cleaning(
    new_database: DatabaseFactory,
) -> None:
    """Open a transaction, move, commit, clean, move."""
    async with new_database() as url:
        connections = [await Servers(url).connect() for _ in range(3)]
        moving, slow, quick = connections
        try:
            events = SequencerRepository(moving)
            assert await events.lead()
            await events.keep_partitions(30)
            await quick.execute(TWO_ADS)
            await events.move()
            held = slow.transaction()
            await held.start()
            await slow.execute("UPDATE ads SET price = 2 WHERE id = 1")
            await quick.execute("UPDATE ads SET price = 2 WHERE id = 2")
            await events.move()
            await held.commit()
            await events.delete_moved()
            await events.move()
            await events.delete_moved()
            logged = await quick.fetch(
                "SELECT ad_id FROM events WHERE type = 'ad.priceChanged' ORDER BY ad_id"
            )
            assert [row["ad_id"] for row in logged] == [1, 2]
        finally:
            for connection in connections:
                connection.terminate()


async def test_a_delivery_that_is_retried_is_not_cleaned_away(api: Api) -> None:
    admin = await api.admin()
    async with receiving() as receiver:
        hook = {"url": receiver.url, "types": ["ad.sold"], "description": ""}
        path = f"/webhooks/{(await admin.post('/webhooks', json=hook)).json()['id']}"
        assert (await admin.post(f"{path}/test")).status_code == 202
        [delivery] = (await admin.get(f"{path}/deliveries")).json()["results"]
        await api.sql(
            "UPDATE webhook_deliveries SET status = 'failed', attempts = 10, next_at = NULL,"
            " ended_at = now() - make_interval(days => :days)",
            days=api.state.settings.webhook_days + 1,
        )
        retried = await admin.post(f"{path}/deliveries/{delivery['id']}/retry")
        assert retried.status_code == 202
        await retention.clean(api.state.database, api.state.settings)
        listed = (await admin.get(f"{path}/deliveries")).json()["results"]
        assert [(one["id"], one["status"]) for one in listed] == [(delivery["id"], "pending")]


async def test_a_held_message_that_is_let_through_shows_a_hidden_conversation_again(
    api: Api,
) -> None:
    """The seller hides the conversation while a message in it is held."""
    found = await talk(api)
    for _ in range(10):
        ad = (await (await api.person()).post_ad())["pk"]
        await write(found.buyer, f"/ads/{ad}", LETTER)
    await write(found.buyer, found.path, LETTER)
    assert LETTER not in await found.texts_for(found.seller)
    assert (await found.seller.post(f"{found.path}/hide")).status_code == 204
    assert await inbox(found.seller) == []
    judge = await moderator(api)
    await decide(judge, (await only_case(judge))["id"], "dismiss")
    [listed] = await inbox(found.seller)
    assert (listed["id"], listed["last"]["text"]) == (found.id, LETTER)
    assert listed["unread"] == 2


async def test_a_removal_of_held_messages_that_is_undone_shows_a_hidden_conversation_again(
    api: Api,
) -> None:
    found = await talk(api)
    for _ in range(10):
        ad = (await (await api.person()).post_ad())["pk"]
        await write(found.buyer, f"/ads/{ad}", LETTER)
    await write(found.buyer, found.path, LETTER)
    assert (await found.seller.post(f"{found.path}/hide")).status_code == 204
    judge = await moderator(api)
    decision: dict[str, Any] = await decide(judge, (await only_case(judge))["id"], "removeMessage")
    assert await inbox(found.seller) == []
    assert (await undo(await moderator(api), decision["id"])).status_code == 201
    [listed] = await inbox(found.seller)
    assert (listed["id"], listed["last"]["text"]) == (found.id, LETTER)
