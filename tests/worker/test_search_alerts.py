"""Alerts of saved searches: what matches reaches accounts once, and as they want it."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from email.message import EmailMessage
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from adsvc.repositories import following as following_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.services import following
from adsvc.services.following import Percolation
from adsvc.services.mail.delivery import MailDeliveries, transport_of
from conftest import ApiFactory
from support.mail.server import parsed, receiving, text_of
from support.scene.api import Api, Person
from support.scene.searches import Matching
from support.scene.streams import PERSONAL, streaming
from support.scene.warmth import settle
from support.trouble.blocking import while_changing

PATH, SITE = "/users/me/searches", "https://ads.example.com"


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_own_api(jobs="off") as started:
        yield started


async def reader(api: Api, language: str = "en") -> Person:
    """With a verified address."""
    person = await api.person()
    await api.sql(
        "UPDATE users SET mail = username, mail_verified = true, language = :language"
        " WHERE id = :id", id=person.id, language=language,
    )  # fmt: skip
    return person


async def saved(person: Person, query: str = "q=oak", notify: str = "instant") -> str:
    """Its path."""
    sent = {"query": query, "name": "Oak <b>", "notify": notify}
    answer = await person.post(PATH, json=sent)
    assert answer.status_code == 201, answer.text
    return f"{PATH}/{answer.json()['id']}"


async def alert(api: Api, matching: Matching) -> None:
    """What the lane of a worker does."""
    await matching.step()
    while await following.send_alerts(api.state.database):
        pass


async def mailed(api: Api) -> list[EmailMessage]:
    """Delivers what is in the outbox. All mails so far, the oldest first."""
    database, settings = api.state.database, api.state.settings
    deliveries = MailDeliveries(database, settings, transport_of(settings))
    for entry in await outbox_rows.claim(database.writer, deliveries.kinds, 100, seconds=5):
        await deliveries.deliver(entry)
        await outbox_rows.delete_claimed(database.writer, [entry.id])
    files = sorted(settings.mail_dir.glob("*.eml"))
    return [parsed(path.read_bytes()) for path in files]


async def notifications(person: Person) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = (await person.get("/users/me/notifications")).json()["results"]
    return results


@pytest.mark.heavy
async def test_new_matches_are_notified_of_once(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path = await saved(person)
    # Another search that finds the same.
    await saved(person, "q=table")
    ad = await author.post_ad(title="Oak table <i>", price=100, place="Berlin")
    await alert(api, matching)
    [mail] = await mailed(api)
    assert mail["To"] == person.username
    assert "1 new ad" in mail["Subject"]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for kind in ("plain", "html"):
        body = mail.get_body((kind,))
        assert body is not None
        text = body.get_content()
        assert f"/a/{ad['pk']}" in text
        assert "100" in text
        assert "Berlin" in text
        assert "<i>" not in text or kind == "plain"
    assert ad["thumbnail"] in text
    [notice] = await notifications(person)
    assert (notice["type"], notice["count"]) == ("searchMatched", 1)
    assert [each["pk"] for each in notice["ads"]] == [ad["pk"]]
    # Again visible, it is new for the search, and no news for its account.
    await author.post(f"/ads/{ad['pk']}/withdraw")
    await author.post(f"/ads/{ad['pk']}/publish")
    await api.sql("UPDATE saved_searches SET alerted_at = now() - interval '1 hour'")
    await alert(api, matching)
    assert len(await mailed(api)) == 1
    assert [each["id"] for each in await notifications(person)] == [notice["id"]]
    assert (await person.post(f"{path}/seen")).status_code == 204


async def pass_minutes(api: Api, minutes: int) -> None:
    """For mails that wait, and for notifications."""
    passed = "make_interval(mins => :minutes)"
    for statement in (
        f"UPDATE outbox SET not_before = not_before - {passed}",  # noqa: S608 - no input
        f"UPDATE notifications SET at = at - {passed}",  # noqa: S608 - no input
        f"UPDATE saved_searches SET alerted_at = alerted_at - {passed}",  # noqa: S608 - no input
    ):
        await api.sql(f"{statement} RETURNING id", minutes=minutes)


@pytest.mark.heavy
async def test_mails_alone_of_instant_alerts_wait_a_quarter_of_an_hour(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    first = await author.post_ad(title="Oak table")
    await alert(api, matching)
    assert len(await mailed(api)) == 1
    [before] = await notifications(person)
    for count, title in ((2, "Oak chair"), (3, "Oak lamp")):
        await author.post_ad(title=title)
        await alert(api, matching)
        # The site does not wait.
        [notice] = await notifications(person)
        assert (notice["id"], notice["count"]) == (before["id"], count)
    assert notice["ads"][-1]["pk"] == first["pk"]
    assert len(notice["ads"]) == 3
    assert len(await mailed(api)) == 1
    await pass_minutes(api, 14)
    await alert(api, matching)
    assert len(await mailed(api)) == 1
    await pass_minutes(api, 1)
    await alert(api, matching)
    assert "2 new ads" in (await mailed(api))[1]["Subject"]
    # What is unread gathers in a new notification.
    await author.post_ad(title="Oak bed")
    await alert(api, matching)
    assert len(await mailed(api)) == 2
    [notice] = await notifications(person)
    assert notice["count"] == 4
    assert notice["id"] > before["id"]
    await pass_minutes(api, 15)
    await alert(api, matching)
    assert "1 new ad" in (await mailed(api))[2]["Subject"]


@pytest.mark.heavy
async def test_mails_that_wait_a_quarter_of_an_hour_leave_room_for_others(api: Api) -> None:
    author, people = await api.person(), [await reader(api) for _ in range(2)]
    matching = Matching(api)
    await matching.begin()
    await saved(people[0])
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    assert len(await mailed(api)) == 1
    await author.post_ad(title="Oak chair")
    await alert(api, matching)
    await crowd(api, 99)
    await saved(people[1], "q=lamp")
    await author.post_ad(title="Lamp of mine", description="No more is known.")
    await alert(api, matching)
    await disperse(api)
    assert [mail["To"] for mail in await mailed(api)] == [person.username for person in people]


@pytest.mark.heavy
async def test_a_notification_that_was_read_gathers_for_a_quarter_of_an_hour(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    found = list[tuple[int, int, bool]]()
    for title, minutes in (("Oak table", 0), ("Oak chair", 14), ("Oak lamp", 1)):
        await pass_minutes(api, minutes)
        await author.post_ad(title=title)
        await alert(api, matching)
        notices = await notifications(person)
        found.append((len(notices), notices[0]["count"], notices[0]["read"]))
        upto = {"upTo": notices[0]["id"]}
        assert (await person.post("/users/me/notifications/read", json=upto)).status_code == 204
    assert found == [(1, 1, False), (1, 2, False), (2, 1, False)]


@pytest.mark.heavy
async def test_a_stream_says_which_notification_has_gathered_more(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    await settle(api)
    [before] = await notifications(person)
    async with streaming(api, person, path=PERSONAL) as stream:
        for count, title in ((2, "Oak chair"), (3, "Oak lamp")):
            await author.post_ad(title=title)
            await alert(api, matching)
            await stream.until(lambda it, count=count: it.types.count("notification") == count - 1)
            [notice] = await notifications(person)
            assert json.loads(stream.events[-1]["data"]) == {**notice, "update": True}
            assert (notice["id"], notice["count"]) == (before["id"], count)
        assert stream.types == ["unread", "notification", "notification"]
        cursors = [event["id"] for event in stream.events]
    # The last state alone, to whoever was away meanwhile.
    async with streaming(api, person, f"after={cursors[0]}", path=PERSONAL) as stream:
        await stream.until(lambda it: "notification" in it.types)
        assert json.loads(stream.events[-1]["data"])["count"] == 3
        assert stream.types == ["unread", "notification"]
    async with streaming(api, person, f"after={cursors[-1]}", path=PERSONAL) as stream:
        await author.post_ad(title="Oak bed")
        await alert(api, matching)
        await stream.until(lambda it: "notification" in it.types)
        assert json.loads(stream.events[-1]["data"])["count"] == 4
        assert stream.types == ["unread", "notification"]
    exported = (await person.get("/users/me/export")).json()["notifications"]
    assert [(notice["id"], "update" in notice) for notice in exported] == [(before["id"], False)]


@pytest.mark.heavy
async def test_daily_and_weekly_alerts_come_in_their_time(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person, "q=oak", "daily")
    await saved(person, "q=lamp", "weekly")
    await saved(person, "q=chair", "never")
    for title in ("Oak", "Lamp", "Chair"):
        await author.post_ad(title=f"{title} of mine", description="No more is known.")
    await alert(api, matching)
    assert await mailed(api) == []
    due = "SELECT round(extract(epoch FROM due_at - created_at) / 3600) FROM saved_searches"
    assert await api.sql(f"{due} ORDER BY id") == [24, 168, None]
    for hours, mails in ((25, 1), (24 * 7, 2)):
        await api.sql(
            "UPDATE saved_searches SET due_at = due_at - make_interval(hours => :hours)",
            hours=hours,
        )
        await alert(api, matching)
        assert len(await mailed(api)) == mails
    assert [each["newCount"] for each in (await person.get(PATH)).json()["results"]] == [1, 1, 1]


@pytest.mark.heavy
async def test_alerts_that_begin_leave_out_events_that_are_not_matched_yet(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path = await saved(person, notify="never")
    await author.post_ad(title="Oak table")
    # In the log, and ahead of the matching.
    await settle(api)
    assert (await person.patch(path, json={"notify": "instant"})).status_code == 200
    new = await author.post_ad(title="Oak chair")
    await alert(api, matching)
    [notice] = await notifications(person)
    assert [each["pk"] for each in notice["ads"]] == [new["pk"]]


@pytest.mark.heavy
async def test_alerts_that_begin_leave_out_what_is_not_in_the_log_yet(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path = await saved(person, notify="never")
    # The sequencer waits.
    async with while_changing(api, "LOCK TABLE events IN SHARE MODE"):
        await author.post_ad(title="Oak table")
        assert (await person.patch(path, json={"notify": "instant"})).status_code == 200
        new = await author.post_ad(title="Oak chair")
    await alert(api, matching)
    [notice] = await notifications(person)
    assert [each["pk"] for each in notice["ads"]] == [new["pk"]]
    # It counts all the same.
    assert (await person.get(PATH)).json()["results"][0]["newCount"] == 2


@pytest.mark.heavy
async def test_what_is_no_longer_shown_drops_out_when_the_mail_is_sent(api: Api) -> None:
    author, person = await api.person(), await reader(api, "de")
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    sold, stays = [await author.post_ad(title=f"Oak {what}") for what in ("table", "chair")]
    await person.post_ad(title="Oak of my own")
    await alert(api, matching)
    await author.post(f"/ads/{sold['pk']}/sell")
    [mail] = await mailed(api)
    body = mail.get_body(("plain",))
    assert body is not None
    assert "1 neue Anzeige" in mail["Subject"]
    assert f"/a/{stays['pk']}" in body.get_content()
    assert f"/a/{sold['pk']}" not in body.get_content()
    # With none left there is no mail.
    other = await reader(api, "ru")
    await saved(other)
    last = await author.post_ad(title="Oak lamp")
    await api.sql("UPDATE saved_searches SET due_at = now() WHERE due_at IS NOT NULL")
    await alert(api, matching)
    await author.delete(f"/ads/{last['pk']}")
    assert len(await mailed(api)) == 1


@pytest.mark.heavy
async def test_ads_of_blocked_accounts_are_no_matches(api: Api) -> None:
    author, blocked, person = await api.person(), await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    await author.post_ad(title="Oak table")
    await blocked.post_ad(title="Oak chair")
    await matching.step()
    block = "INSERT INTO blocks (owner_id, blocked_id) VALUES (:owner, :blocked)"
    await api.sql(block, owner=person.id, blocked=blocked.id)
    assert (await person.get(PATH)).json()["results"][0]["newCount"] == 1
    while await following.send_alerts(api.state.database):
        pass
    # Also one that is blocked between the alert and its mail.
    await api.sql(block, owner=person.id, blocked=author.id)
    assert await mailed(api) == []
    [notice] = await notifications(person)
    assert notice["count"] == 1


@pytest.mark.heavy
async def test_who_wants_no_mails_gets_none(api: Api) -> None:
    author = await api.person()
    unverified, chosen, without_site = [await reader(api) for _ in range(3)]
    await api.sql("UPDATE users SET mail_verified = false WHERE id = :id", id=unverified.id)
    await chosen.patch("/users/me/preferences", json={"searchMatched": {"mail": False}})
    await without_site.patch("/users/me/preferences", json={"searchMatched": {"site": False}})
    matching = Matching(api)
    await matching.begin()
    for person in (unverified, chosen, without_site):
        await saved(person)
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    assert [mail["To"] for mail in await mailed(api)] == [without_site.username]
    assert await notifications(without_site) == []
    for person in (unverified, chosen):
        assert len(await notifications(person)) == 1


@pytest.mark.heavy
async def test_unsubscribing_ends_the_alerts_of_that_search(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    await saved(person, "q=lamp")
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    [mail] = await mailed(api)
    link = mail["List-Unsubscribe"].strip("<>")
    path = link[link.index("/unsubscribe") :]
    # A link that is only opened changes nothing.
    await api.client.get(path)
    listed = (await person.get(PATH)).json()["results"]
    assert [each["notify"] for each in listed] == ["instant", "instant"]
    assert (await api.client.post(path)).status_code == 204
    listed = (await person.get(PATH)).json()["results"]
    assert [each["notify"] for each in listed] == ["instant", "never"]


@pytest.mark.heavy
async def test_alerts_that_are_not_opened_end_with_a_question(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path = await saved(person)
    await api.sql("UPDATE saved_searches SET opened_at = now() - interval '181 days'")
    for title in ("Oak table", "Oak chair"):
        await author.post_ad(title=title)
        await api.sql("UPDATE saved_searches SET alerted_at = NULL")
        await alert(api, matching)
    [mail] = await mailed(api)
    assert "still want" in mail["Subject"]
    assert await notifications(person) == []
    assert (await person.post(f"{path}/seen")).status_code == 204
    await api.sql("UPDATE saved_searches SET alerted_at = NULL")
    await author.post_ad(title="Oak lamp")
    await alert(api, matching)
    assert "1 new ad" in (await mailed(api))[1]["Subject"]


@pytest.mark.heavy
async def test_without_mail_alerts_that_are_not_opened_go_on(api: Api) -> None:
    """Only a mail can ask, and only mails that nobody reads do harm."""
    author, unverified, without_mail = await api.person(), await reader(api), await reader(api)
    await api.sql("UPDATE users SET mail_verified = false WHERE id = :id", id=unverified.id)
    await without_mail.patch("/users/me/preferences", json={"searchMatched": {"mail": False}})
    matching = Matching(api)
    await matching.begin()
    for person in (unverified, without_mail):
        await saved(person)
    await api.sql("UPDATE saved_searches SET opened_at = now() - interval '181 days'")
    for title in ("Oak table", "Oak chair"):
        await author.post_ad(title=title)
        await api.sql("UPDATE saved_searches SET alerted_at = NULL")
        await alert(api, matching)
    for person in (unverified, without_mail):
        assert [notice["count"] for notice in await notifications(person)] == [2]
    assert await api.sql("SELECT id FROM saved_searches WHERE asked_at IS NOT NULL") == []
    assert await mailed(api) == []


@pytest.mark.heavy
async def test_mails_of_alerts_leave_room_for_others_and_nothing_else_waits(api: Api) -> None:
    """However many are due, few mails are; those that were not tried gather what is new."""
    author, people = await api.person(), [await reader(api) for _ in range(3)]
    matching = Matching(api)
    await matching.begin()
    for person in people:
        await saved(person)
    first = (await author.post_ad(title="Oak table"))["pk"]
    await crowd(api, 99)
    await alert(api, matching)
    # The site does not wait for mails.
    for person in people:
        assert [notice["count"] for notice in await notifications(person)] == [1]
    due = "SELECT count(*) FROM outbox WHERE kind = 'search-alert' AND not_before <= now()"
    assert await api.sql(due) == [100]
    second = (await author.post_ad(title="Oak chair"))["pk"]
    await api.sql("UPDATE saved_searches SET alerted_at = now() - interval '1 hour' RETURNING id")
    await alert(api, matching)
    waiting = await api.sql(
        "SELECT payload FROM outbox WHERE payload <> '{}' ORDER BY not_before > now()"
    )
    # The one whose mail waits for its turn among them.
    assert [one["ads"] for one in waiting] == [[second, first]] * 3
    assert [one["count"] for one in waiting] == [2, 2, 2]
    assert await api.sql(due) == [100]

    await disperse(api)
    assert not await following.send_alerts(api.state.database)
    assert await api.sql(due) == [3]
    assert len(await mailed(api)) == 3
    # And what comes then is mailed at once.
    await author.post_ad(title="Oak bed")
    await api.sql("UPDATE saved_searches SET alerted_at = now() - interval '1 hour' RETURNING id")
    await alert(api, matching)
    assert await api.sql(due) == [3]


async def crowd(api: Api, number: int = 100) -> None:
    """Mails of other alerts, so that there is no room for more."""
    await api.sql(
        "INSERT INTO outbox (kind, payload)"
        " SELECT 'search-alert', '{}' FROM generate_series(1, :number) RETURNING id",
        number=number,
    )


async def disperse(api: Api) -> None:
    await api.sql("DELETE FROM outbox WHERE payload = '{}' RETURNING id")


@pytest.mark.heavy
async def test_a_question_that_waits_swallows_no_alert(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path = await saved(person)
    await crowd(api)
    await api.sql("UPDATE saved_searches SET opened_at = now() - interval '181 days'")
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    assert await api.sql("SELECT payload->'is_last' FROM outbox WHERE payload <> '{}'") == [True]
    assert (await person.post(f"{path}/seen")).status_code == 204
    await api.sql("UPDATE saved_searches SET alerted_at = NULL")
    await author.post_ad(title="Oak chair")
    await alert(api, matching)
    await disperse(api)
    assert not await following.send_alerts(api.state.database)
    [mail] = await mailed(api)
    assert "2 new ads" in mail["Subject"]


@pytest.mark.heavy
async def test_a_question_that_was_answered_meanwhile_is_not_asked(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path = await saved(person)
    await api.sql("UPDATE saved_searches SET opened_at = now() - interval '181 days'")
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    assert await api.sql("SELECT payload->'is_last' FROM outbox") == [True]
    assert (await person.post(f"{path}/seen")).status_code == 204
    assert await mailed(api) == []
    assert await api.sql("SELECT id FROM outbox") == []


@pytest.mark.heavy
async def test_a_mail_that_becomes_due_with_its_next_alert_gathers_it(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    await crowd(api)
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    await author.post_ad(title="Oak chair")
    await disperse(api)
    await api.sql("UPDATE saved_searches SET alerted_at = now() - interval '1 hour'")
    await alert(api, matching)
    [mail] = await mailed(api)
    assert "2 new ads" in mail["Subject"]


@pytest.mark.heavy
async def test_a_mail_that_was_tried_gathers_no_more(api: Api) -> None:
    """Its receiver may have it already."""
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    await saved(person)
    await author.post_ad(title="Oak table")
    await alert(api, matching)
    [claimed] = await outbox_rows.claim(api.state.database.writer, ["search-alert"], 1, seconds=60)
    await author.post_ad(title="Oak chair")
    await api.sql("UPDATE saved_searches SET alerted_at = now() - interval '1 hour'")
    await alert(api, matching)
    counts = await api.sql("SELECT payload->'count' FROM outbox ORDER BY id")
    assert (claimed.payload["count"], counts) == (1, [1, 1])


@pytest.mark.heavy
async def test_a_query_that_many_have_saved_becomes_due_in_batches(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    author, people = await api.person(), [await reader(api) for _ in range(5)]
    matching = Matching(api)
    await matching.begin()
    for person in people:
        await saved(person)
    await saved(people[0], "q=lamp")
    monkeypatch.setattr(
        following_rows,
        "MARK_DUE",
        following_rows.MARK_DUE.replace(str(following_rows.DUE_AT_ONCE), "2"),
    )
    await author.post_ad(title="Oak table")
    await author.post_ad(title="Lamp of mine", description="No more is known.")
    await matching.step()
    # Nothing is due before the lane's next step.
    assert await api.sql("SELECT id FROM saved_searches WHERE due_at IS NOT NULL") == []
    while await following.send_alerts(api.state.database):
        pass
    assert len(await mailed(api)) == 6
    assert await api.sql("SELECT query_id FROM matched_queries") == []


@pytest.mark.heavy
async def test_a_query_without_searches_takes_its_matches_along(api: Api) -> None:
    author, person = await api.person(), await reader(api)
    matching = Matching(api)
    await matching.begin()
    path, _ = await saved(person), await saved(person, "q=table")
    await author.post_ad(title="Oak table")
    await matching.step()
    assert (await person.delete(path)).status_code == 204
    writer = api.state.database.writer
    while await following_rows.delete_old_matches(writer, 90, 1):
        pass
    assert len(await api.sql("SELECT query_id FROM query_matches")) == 1
    # A mark of what is gone goes with the next step.
    assert not await following.send_alerts(api.state.database)
    assert await api.sql("SELECT query_id FROM matched_queries") == []


@pytest.mark.heavy
async def test_matching_waits_for_right_keys_without_an_open_transaction(
    start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of very many queries they take minutes, and an idle transaction is ended before."""
    monkeypatch.setattr(following, "KEYS_AT_ONCE", 1)
    renewed = list[tuple[int, list[Any]]]()
    renew = Percolation.renew_keys
    free = "SELECT name FROM consumers WHERE name = 'searches' FOR NO KEY UPDATE SKIP LOCKED"
    async with start_own_api(jobs="on") as api:

        async def watched(self: Percolation, chosen_before: datetime | None) -> int:
            is_free = await api.sql(free)
            renewed.append((await renew(self, chosen_before), is_free))
            return renewed[-1][0]

        author, person = await api.person(), await api.person()
        for query in ("q=oak", "q=table", "q=lamp"):
            await saved(person, query, "never")
        await settle(api)
        monkeypatch.setattr(Percolation, "renew_keys", watched)
        async with api.state.database.transaction() as transaction:
            for statement in (
                "UPDATE saved_queries SET keyed_at = '-infinity'", "DELETE FROM query_keys",
            ):  # fmt: skip
                await transaction.execute(text(statement))
        await author.post_ad(title="Oak table")
        async with asyncio.timeout(30):
            while len(await api.sql("SELECT query_id FROM query_matches")) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    # A round that was under way before had none.
    assert [number for number, _ in renewed if number][:3] == [1, 1, 1]
    assert all(is_free for _, is_free in renewed)


@pytest.mark.heavy
async def test_the_story_of_a_search_by_a_mail_server(start_own_api: ApiFactory) -> None:
    """By the worker's own lanes: nothing here takes a step for them."""
    async with receiving() as mailbox:
        url = SecretStr(f"smtp://127.0.0.1:{mailbox.port}?tls=off")
        async with start_own_api(
            jobs="on", smtp_url=url, mail_from="ads@example.com", site_url=SITE
        ) as api:
            author, person = await api.person(), await reader(api)
            path = await saved(person)
            await settle(api)
            ad = await author.post_ad(title="Oak table", price=1000)

            async def mail_about(count: int) -> EmailMessage:
                async with asyncio.timeout(30):
                    while len(mailbox.messages) < count:  # noqa: ASYNC110
                        await asyncio.sleep(0.05)
                return mailbox.messages[-1]

            mail = await mail_about(1)
            assert f"/a/{ad['pk']}" in text_of(mail)
            assert (await person.get(PATH)).json()["results"][0]["newCount"] == 1
            link = mail["List-Unsubscribe"].strip("<>")
            one_click = {"List-Unsubscribe": "One-Click"}
            answer = await api.client.post(link[link.index("/unsubscribe") :], data=one_click)
            assert answer.status_code == 204
            assert (await person.get(PATH)).json()["results"][0]["notify"] == "never"
            # It goes on as a favorite.
            assert (await person.put(f"/users/me/favorites/{ad['pk']}")).status_code == 204
            await author.patch(f"/ads/{ad['pk']}", json={"price": 800})
            assert "800" in str((await mail_about(2))["Subject"])
            await author.post(f"/ads/{ad['pk']}/sell")
            async with asyncio.timeout(30):
                while (await notifications(person))[0]["type"] != "favoriteSold":  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            kinds = [notice["type"] for notice in await notifications(person)]
            assert kinds == ["favoriteSold", "priceDropped", "searchMatched"]
            assert (await person.post(f"{path}/seen")).status_code == 204
            assert len(mailbox.messages) == 2
