"""Reports of messages, what moderators read of conversations, and texts that are held."""

import asyncio
from dataclasses import replace

import pytest

from adsvc.services import conversations
from support.scene.api import Api, Person
from support.scene.moderation import decide, moderator, only_case, try_to_decide, undo
from support.scene.talk import grown, inbox, talk, write

REPORT = {"reason": "scam", "text": "Wants money in advance."}
BULK = "Hello dear, is item available? Ref {number}"


async def looks(api: Api) -> int:
    [found] = await api.sql("SELECT count(*) FROM audit_events WHERE event = 'messages_read'")
    return int(found)


@pytest.mark.guard
async def test_moderators_read_what_was_reported_and_the_ten_before_it(api: Api) -> None:
    found, other = await talk(api), await talk(api)
    for number in range(12):
        await write(found.seller if number % 2 else found.buyer, found.path, f"Letter {number}")
    bad = await write(found.buyer, found.path, "Send the deposit first")
    await write(found.buyer, found.path, "What came later")
    await write(other.buyer, other.path, "Another conversation")
    path = f"{found.path}/messages/{bad['id']}/reports"

    own = await found.buyer.post(path, json=REPORT)
    assert (own.status_code, own.json()["type"]) == (403, "/problems#forbidden")
    first = await found.seller.post(path, json=REPORT)
    again = await found.seller.post(path, json=REPORT)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()

    judge = await moderator(api)
    listed = await judge.get("/moderation/cases")
    [summary] = listed.json()["results"]
    assert (summary["kind"], summary["target"], summary["author"], summary["ad"]) == (
        "message", bad["id"], found.buyer.id, found.ad
    )  # fmt: skip
    # No text without an entry in the audit trail.
    assert "deposit" not in listed.text
    assert "Letter" not in listed.text
    assert await looks(api) == 0

    case = await judge.get(f"/moderation/cases/{summary['id']}")
    assert case.status_code == 200
    assert await looks(api) == 1
    snapshot = case.json()["snapshot"]
    assert snapshot["text"] == "Send the deposit first"
    assert [one["text"] for one in snapshot["messages"]] == [f"Letter {n}" for n in range(2, 12)]
    for unseen in ('Letter 1"', "Is it still there?", "What came later", "Another conversation"):
        assert unseen not in case.text
    await judge.get(f"/moderation/cases/{summary['id']}")
    assert await looks(api) == 2
    # Nothing else: conversations are not theirs.
    for reader in (judge, await api.admin()):
        assert (await reader.get(found.path)).status_code == 404
        assert (await reader.get(f"{found.path}/messages")).status_code == 404

    wrong = await judge.post(
        f"/moderation/cases/{summary['id']}/decisions",
        json={"action": "removeComment", "ground": "terms", "explanation": "x"},
    )
    assert wrong.status_code == 400
    done = await judge.post(
        f"/moderation/cases/{summary['id']}/decisions",
        json={"action": "suspendAccount", "ground": "terms", "explanation": "Fraud", "days": 30},
    )
    assert done.status_code == 201
    assert (await found.buyer.get("/conversations")).status_code == 401


@pytest.mark.guard
async def test_a_removed_message_is_its_author_s_alone_until_that_is_undone(api: Api) -> None:
    found = await talk(api)
    bad = await write(found.buyer, found.path, "Send the deposit to https://pay.example first")
    path = f"{found.path}/messages/{bad['id']}/reports"
    assert (await found.seller.post(path, json=REPORT)).status_code == 201
    judge, other = await moderator(api), await moderator(api)
    decision = await decide(judge, (await only_case(judge))["id"], "removeMessage")
    assert (decision["kind"], decision["target"]) == ("message", bad["id"])
    audited = "SELECT count(*) FROM audit_events WHERE event = 'decided' AND owner_id = :id"
    assert await api.sql(audited, id=found.buyer.id) == [1]

    # A place without what it said, and nothing of it anywhere else.
    for below in ("", "/messages"):
        assert "deposit" not in (await found.seller.get(found.path + below)).text
    [newest, first] = (await found.seller.get(f"{found.path}/messages")).json()["results"]
    assert (newest["text"], newest["hints"], newest["removed"]) == ("", [], True)
    assert first["removed"] is False
    theirs = (await found.seller.get("/users/me/export")).json()
    assert "deposit" not in str(theirs["messages"])
    assert (await found.seller.post(path, json=REPORT)).status_code == 404
    # Its author sees that it was removed, and why.
    own = (await found.seen_by(found.buyer))["last"]
    assert (own["text"], own["removed"]) == (bad["text"], True)
    [statement] = (await found.buyer.get("/users/me/decisions")).json()["results"]
    assert (statement["action"], statement["excerpt"]) == ("removeMessage", bad["text"])
    [_, exported] = (await found.buyer.get("/users/me/export")).json()["messages"]
    assert (exported["text"], exported["removed"]) == (bad["text"], True)
    # Both go on.
    await write(found.buyer, found.path, "Sorry")
    assert (await only_case(judge))["current"] is None

    assert (await undo(other, decision["id"])).status_code == 201
    assert bad["text"] in await found.texts_for(found.seller)
    assert (await only_case(judge))["current"]["text"] == bad["text"]


@pytest.mark.heavy
async def test_of_a_removed_message_comes_no_mail(api: Api) -> None:
    found = await talk(api)
    judge = await moderator(api)
    await api.sql("UPDATE users SET mail = username, mail_verified = TRUE")
    path = f"{found.path}/messages/{found.first}/reports"
    assert (await found.seller.post(path, json=REPORT)).status_code == 201
    decision = await decide(judge, (await only_case(judge))["id"], "removeMessage")
    due = "UPDATE conversations SET seller_mail_due = now()"
    notices = "SELECT payload FROM outbox WHERE kind = 'notice'"
    await api.sql(due)
    await conversations.queue_mails(api.state.database)
    assert await api.sql(notices) == []
    assert (await undo(await moderator(api), decision["id"])).status_code == 201
    await api.sql(due)
    await conversations.queue_mails(api.state.database)
    assert len(await api.sql(notices)) == 1


@pytest.mark.guard
async def test_a_look_that_cannot_be_written_down_is_not_given(api: Api) -> None:
    found, judge = await talk(api), await moderator(api)
    path = f"{found.path}/messages/{found.first}/reports"
    assert (await found.seller.post(path, json=REPORT)).status_code == 201
    [case] = (await judge.get("/moderation/cases")).json()["results"]
    unwritable = "CONSTRAINT unwritable"
    await api.sql(
        f"ALTER TABLE audit_events ADD {unwritable} CHECK (event <> 'messages_read') NOT VALID"
    )
    try:
        refused = await judge.get(f"/moderation/cases/{case['id']}")
    finally:
        # Other tests use the same database.
        await api.sql(f"ALTER TABLE audit_events DROP {unwritable}")
    assert refused.status_code == 500
    assert "still there" not in refused.text
    # Other things are not affected.
    assert (await judge.get("/moderation/cases")).status_code == 200


async def test_what_one_has_not_received_cannot_be_reported(api: Api) -> None:
    found, other = await talk(api), await talk(api)
    stranger = await api.person()
    for person, conversation, message, status in (
        (stranger, found.id, found.first, 404),
        (stranger, 987_654, found.first, 404),
        (found.seller, found.id, other.first, 404),
        (found.seller, found.id, 987_654, 404),
        (found.seller, found.id, "x", 400),
    ):
        path = f"/conversations/{conversation}/messages/{message}/reports"
        assert (await person.post(path, json=REPORT)).status_code == status, path
    path = f"{found.path}/messages/{found.first}/reports"
    assert (await api.client.post(path, json=REPORT)).status_code == 401
    assert (await found.seller.post(path, json={"reason": "none"})).status_code == 400


async def write_to_all(buyer: Person, ads: list[int], *, at_once: bool) -> None:
    texts = [(ad, BULK.format(number=number)) for number, ad in enumerate(ads)]
    if at_once:
        await asyncio.gather(*(write(buyer, f"/ads/{ad}", text) for ad, text in texts))
    else:
        for ad, text in texts:
            await write(buyer, f"/ads/{ad}", text)


@pytest.mark.guard
@pytest.mark.parametrize("at_once", [False, True])
async def test_one_text_to_many_sellers_is_held_for_a_moderator(api: Api, at_once: bool) -> None:  # noqa: FBT001 - a parameter
    spammer = await api.person()
    sellers = [await api.person() for _ in range(13)]
    ads = [(await seller.post_ad())["pk"] for seller in sellers]
    await write_to_all(spammer, ads, at_once=at_once)
    # Its writer notices nothing.
    sent = await inbox(spammer)
    assert len(sent) == 13
    reached = [seller for seller in sellers if await inbox(seller)]
    assert len(reached) == 10
    unreached = next(seller for seller in sellers if seller not in reached)
    [held] = [one for one in sent if one["ad"]["author"] == unreached.id]
    path = f"/conversations/{held['id']}"
    for method, below in (("GET", ""), ("GET", "/messages"), ("POST", "/hide")):
        assert (await unreached.request(method, path + below)).status_code == 404
    assert (await unreached.get("/users/me/export")).json()["messages"] == []
    assert not await api.sql(
        "SELECT id FROM changes WHERE type = 'message.sent' AND (data->>'to')::int = :to",
        to=unreached.id,
    )

    judge = await moderator(api)
    [case] = (await judge.get("/moderation/cases")).json()["results"]
    assert (case["kind"], case["reports"], case["author"]) == ("message", 0, spammer.id)
    seen = (await judge.get(f"/moderation/cases/{case['id']}")).json()
    assert seen["snapshot"]["text"].startswith("Hello dear")
    dismissed = await judge.post(
        f"/moderation/cases/{case['id']}/decisions", json={"action": "dismiss"}
    )
    assert dismissed.status_code == 201, dismissed.text
    for seller in sellers:
        [listed] = await inbox(seller)
        assert listed["unread"] == 1
    # What was let through is counted anew.
    await write(spammer, path, BULK.format(number=99))
    [listed] = await inbox(unreached)
    assert listed["unread"] == 2


@pytest.mark.guard
async def test_a_held_text_is_removed_everywhere_and_let_through_by_undoing_that(api: Api) -> None:
    spammer = await api.person()
    sellers = [await api.person() for _ in range(12)]
    await write_to_all(
        spammer, [(await seller.post_ad())["pk"] for seller in sellers], at_once=False
    )
    judge = await moderator(api)
    decision = await decide(judge, (await only_case(judge))["id"], "removeMessage")
    assert [len(await inbox(seller)) for seller in sellers] == [1] * 10 + [0] * 2
    states = [one["last"]["removed"] for one in await inbox(spammer)]
    # The newest first. Those that were delivered are not held.
    assert states == [True] * 2 + [False] * 10
    assert (await undo(await moderator(api), decision["id"])).status_code == 201
    for seller in sellers:
        [listed] = await inbox(seller)
        assert (listed["unread"], listed["last"]["removed"]) == (1, False)


@pytest.mark.guard
async def test_after_the_removal_of_a_held_text_no_offer_reaches_the_seller(api: Api) -> None:
    spammer = await api.person()
    sellers = [await api.person() for _ in range(11)]
    await write_to_all(
        spammer, [(await seller.post_ad())["pk"] for seller in sellers], at_once=False
    )
    [newest, *_] = await inbox(spammer)
    unreached, path = sellers[-1], f"/conversations/{newest['id']}"
    first = await spammer.post(f"{path}/offers", json={"price": 5})
    judge = await moderator(api)
    decision = await decide(judge, (await only_case(judge))["id"], "removeMessage")
    withdrawn = await spammer.post(f"/offers/{first.json()['id']}/withdraw")
    second = await spammer.post(f"{path}/offers", json={"price": 6})
    assert (withdrawn.status_code, second.status_code) == (200, 201)
    assert await inbox(unreached) == []
    assert (await unreached.post(f"/offers/{second.json()['id']}/accept")).status_code == 404
    # Undoing the removal delivers it.
    assert (await undo(await moderator(api), decision["id"])).status_code == 201
    [listed] = await inbox(unreached)
    assert listed["offer"]["id"] == second.json()["id"]


@pytest.mark.heavy
async def test_an_offer_is_not_held_where_the_seller_has_received_another_text(api: Api) -> None:
    spammer = await api.person()
    sellers = [await api.person() for _ in range(11)]
    await write_to_all(
        spammer, [(await seller.post_ad())["pk"] for seller in sellers], at_once=False
    )
    [newest, *_] = await inbox(spammer)
    path = f"/conversations/{newest['id']}"
    judge = await moderator(api)
    await decide(judge, (await only_case(judge))["id"], "removeMessage")
    await write(spammer, path, "Would you take a little less?")
    offer = await spammer.post(f"{path}/offers", json={"price": 5})
    [listed] = await inbox(sellers[-1])
    assert listed["offer"]["id"] == offer.json()["id"]


@pytest.mark.heavy
async def test_a_held_text_that_is_sent_again_after_a_suspension_is_a_new_case(api: Api) -> None:
    spammer = await api.person()
    ads = [(await (await api.person()).post_ad())["pk"] for _ in range(13)]
    await write_to_all(spammer, ads[:12], at_once=False)
    judge, other = await moderator(api), await moderator(api)
    first = await only_case(judge)
    decision = await decide(judge, first["id"], "suspendAccount", days=1)
    assert (await undo(other, decision["id"])).status_code == 201
    token = await api.log_in(spammer.username, spammer.password)
    back = replace(spammer, token=token)
    await write_to_all(back, ads[12:], at_once=False)
    listed = (await judge.get("/moderation/cases", params={"status": "open"})).json()["results"]
    [again] = [case["id"] for case in listed]
    assert again != first["id"]
    # One stands for all that are held.
    await decide(judge, again, "dismiss")
    assert await api.sql("SELECT count(*) FROM messages WHERE held") == [0]


@pytest.mark.heavy
async def test_a_removal_for_which_the_message_is_gone_is_refused(api: Api) -> None:
    found = await talk(api)
    path = f"{found.path}/messages/{found.first}/reports"
    assert (await found.seller.post(path, json=REPORT)).status_code == 201
    await api.sql("DELETE FROM messages")
    judge = await moderator(api)
    refused = await try_to_decide(judge, (await only_case(judge))["id"], "removeMessage")
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems#thing-gone")


@pytest.mark.heavy
async def test_only_the_same_text_of_young_accounts_is_held(api: Api) -> None:
    sellers = [await api.person() for _ in range(12)]
    ads = [(await seller.post_ad())["pk"] for seller in sellers]
    old, varied, patient = await grown(api), await api.person(), await api.person()
    await write_to_all(old, ads, at_once=False)
    for number, ad in enumerate(ads):
        await write(varied, f"/ads/{ad}", f"Hello {'abcdefghijkl'[number] * 3}")
    await write_to_all(patient, ads[:6], at_once=False)
    await api.sql("UPDATE messages SET at = at - interval '24 hours'")
    await write_to_all(patient, ads[6:], at_once=False)
    for number, seller in enumerate(sellers):
        assert len(await inbox(seller)) == 3, number
    assert await api.sql("SELECT id FROM cases") == []
