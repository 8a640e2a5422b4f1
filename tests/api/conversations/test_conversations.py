"""Conversations: who sees and writes what, whatever happens at the same time."""

import asyncio
import json
from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.moderation import moderator
from support.scene.talk import grown, inbox, talk, write


async def test_a_first_message_begins_a_conversation_for_both(api: Api) -> None:
    seller = await api.person(firstName="Sara", lastName="Secret", phone="+49 30 1234567")
    buyer = await api.person(firstName="Boris", lastName="Hidden", phone="+49 40 7654321")
    ad = await seller.post_ad(title="Oak table")
    sent = await write(buyer, f"/ads/{ad['pk']}", "Still there?\nI would come today.")
    assert sent["mine"] is True
    assert (sent["kind"], sent["text"], sent["offer"], sent["hints"]) == (
        "text", "Still there?\nI would come today.", None, []
    )  # fmt: skip

    [for_buyer], [for_seller] = await inbox(buyer), await inbox(seller)
    assert (for_buyer["role"], for_seller["role"]) == ("buyer", "seller")
    assert (for_buyer["unread"], for_seller["unread"]) == (0, 1)
    assert (for_buyer["last"]["mine"], for_seller["last"]["mine"]) == (True, False)
    assert for_buyer["other"]["firstName"] == "Sara"
    assert for_seller["other"] == {
        "id": buyer.id, "firstName": "Boris", "image": None, "since": for_seller["other"]["since"]
    }  # fmt: skip
    for found in (for_buyer, for_seller):
        assert (found["title"], found["ad"]["pk"], found["ad"]["status"]) == (
            "Oak table", ad["pk"], "active"
        )  # fmt: skip
        assert (found["id"], found["last"]["id"]) == (sent["conversation"], sent["id"])
        assert (found["readUpTo"], found["offer"], found["blocked"]) == (None, None, False)
        assert found["updatedAt"] == found["last"]["at"]
    for person, found in ((buyer, for_buyer), (seller, for_seller)):
        one = await person.get(f"/conversations/{found['id']}")
        assert (one.status_code, one.json()) == (200, found)


async def test_an_answer_goes_on_with_it(api: Api) -> None:
    found = await talk(api)
    again = await write(found.buyer, found.about, "Hello?")
    answer = await write(found.seller, found.path, "Yes.")
    assert {again["conversation"], answer["conversation"]} == {found.id}
    assert found.first < again["id"] < answer["id"]
    for person in (found.buyer, found.seller):
        assert await found.texts_for(person) == ["Is it still there?", "Hello?", "Yes."]
    assert (await found.seen_by(found.buyer))["unread"] == 1
    assert (await found.seen_by(found.seller))["unread"] == 2


@pytest.mark.heavy
async def test_a_hundred_first_messages_begin_one_conversation(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", busy_requests=256) as api:
        seller, buyer = await api.person(), await api.person()
        ad = (await seller.post_ad())["pk"]
        answers = await asyncio.gather(*(
            buyer.post(f"/ads/{ad}/messages", json={"text": f"Number {number}"})
            for number in range(100)
        ))  # fmt: skip
        sent = [answer.json() for answer in answers if answer.status_code == 201]
        assert {answer.status_code for answer in answers} <= {201, 429, 503}
        assert sent
        assert len({message["conversation"] for message in sent}) == 1
        [found] = await inbox(seller)
        assert found["unread"] == len(sent)
        page = await seller.get(f"/conversations/{found['id']}/messages", params={"limit": 1000})
        assert {message["id"] for message in page.json()["results"]} == {m["id"] for m in sent}


@pytest.mark.heavy
async def test_one_writes_to_others_about_what_one_sees(api: Api) -> None:
    seller, buyer = await api.person(), await api.person()
    ad = (await seller.post_ad())["pk"]
    sent: dict[str, Any] = {"json": {"text": "Hello"}}
    own = await seller.post(f"/ads/{ad}/messages", **sent)
    assert (own.status_code, own.json()["type"]) == (409, "/problems#own-ad")
    assert (await api.client.post(f"/ads/{ad}/messages", **sent)).status_code == 401
    assert (await buyer.post("/ads/999999/messages", **sent)).status_code == 404
    for step, status in (("withdraw", 404), ("publish", 201), ("sell", 410)):
        assert (await seller.post(f"/ads/{ad}/{step}")).status_code == 200
        answer = await buyer.post(f"/ads/{ad}/messages", **sent)
        assert answer.status_code == status, step
    # What was begun goes on, and names the end of the ad.
    [found] = await inbox(buyer)
    assert found["ad"]["status"] == "sold"
    await write(buyer, f"/conversations/{found['id']}")
    assert (await seller.delete(f"/ads/{ad}")).status_code == 204
    [found] = await inbox(seller)
    assert (found["ad"], found["title"]) == (None, "Oak table")
    await write(seller, f"/conversations/{found['id']}")


async def test_a_buyer_does_not_see_what_the_ad_became_in_hiding(api: Api) -> None:
    found = await talk(api)
    await found.seller.post(f"{found.about}/withdraw")
    assert (await found.seen_by(found.buyer))["ad"] is None
    assert (await found.seen_by(found.seller))["ad"]["status"] == "withdrawn"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/conversations/{id}", None),
        ("GET", "/conversations/{id}/messages", None),
        ("POST", "/conversations/{id}/messages", {"text": "x"}),
        ("POST", "/conversations/{id}/messages", {"text": 1}),
        ("POST", "/conversations/{id}/messages", None),
        ("POST", "/conversations/{id}/read", {"upTo": 1}),
        ("POST", "/conversations/{id}/read", {}),
        ("POST", "/conversations/{id}/hide", None),
    ],
)
async def test_a_conversation_of_others_is_as_one_that_does_not_exist(
    api: Api, method: str, path: str, body: Any
) -> None:
    found = await talk(api)
    for person in (await api.person(), await moderator(api), await api.admin()):
        answers = []
        for number in (found.id, 987_654_321):
            answer = await person.request(method, path.format(id=number), json=body)
            assert answer.status_code == 404, answer.text
            problem = answer.json()
            assert problem.pop("instance")
            answers.append(problem)
        assert answers[0] == answers[1]
    assert (await api.client.request(method, path.format(id=found.id))).status_code == 401
    assert await found.texts_for(found.buyer) == ["Is it still there?"]
    assert (await found.seen_by(found.seller))["unread"] == 1


@pytest.mark.guard
async def test_neither_party_learns_how_to_reach_the_other(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    private = {
        "seller": ("sara.private@example.com", "Lastseller", "+49 30 1110001"),
        "buyer": ("boris.private@example.com", "Lastbuyer", "+49 30 2220002"),
    }
    people = {
        role: await api.person(name, lastName=last, phone=phone, firstName="F")
        for role, (name, last, phone) in private.items()
    }
    stranger = await api.person()
    found = await talk(api, people["seller"], people["buyer"])
    # What they are answered when they act.
    acts = (
        ("seller", f"{found.path}/messages", {"text": "Yes"}),
        ("buyer", f"{found.path}/messages", {"text": "Good"}),
        ("buyer", f"{found.path}/offers", {"price": 5}),
        ("seller", f"{found.path}/offers", {"price": 6}),
        ("buyer", "/offers/{offer}/accept", None),
        ("seller", f"{found.path}/read", {"upTo": found.first}),
        ("buyer", f"{found.path}/hide", None),
    )
    offer = None
    for role, path, body in acts:
        answer = await people[role].post(path.format(offer=offer), json=body)
        assert answer.is_success, answer.text
        offer = answer.json()["id"] if path.endswith("/offers") else offer
        for secret in private["buyer" if role == "seller" else "seller"]:
            assert secret not in answer.text + json.dumps(dict(answer.headers)), path
    for reader, other in ((people["buyer"], "seller"), (people["seller"], "buyer")):
        for path in ("/conversations", found.path, f"{found.path}/messages", "/users/me/export"):
            answer = await reader.get(path)
            assert answer.status_code == 200
            whole = answer.text + json.dumps(dict(answer.headers))
            for secret in private[other]:
                assert secret not in whole, path
    for path in ("/conversations", found.path, f"{found.path}/messages"):
        whole = (await stranger.get(path)).text
        for secret in (*private["seller"], *private["buyer"]):
            assert secret not in whole
    kinds = "type ~ '^(message|offer)'"
    events = await api.sql(f"SELECT to_jsonb(changes)::text FROM changes WHERE {kinds}")  # noqa: S608
    events += await api.sql(f"SELECT to_jsonb(events)::text FROM events WHERE {kinds}")  # noqa: S608
    assert all(any(f'"{kind}' in event for event in events) for kind in ("message", "offer"))
    logged = capfd.readouterr().err
    assert "/conversations/{id}/messages" in logged
    for secret in (*private["seller"], *private["buyer"], "Is it still there?"):
        assert not any(secret in event for event in events)
        assert secret not in logged


@pytest.mark.heavy
async def test_read_markers_never_go_back(api: Api) -> None:
    found = await talk(api)
    ids = [found.first, *[(await write(found.buyer, found.path))["id"] for _ in range(4)]]

    async def read(up_to: int) -> tuple[int, int | None]:
        answer = await found.seller.post(f"{found.path}/read", json={"upTo": up_to})
        assert answer.status_code == 204
        seller, buyer = await found.seen_by(found.seller), await found.seen_by(found.buyer)
        return seller["unread"], buyer["readUpTo"]

    assert await read(ids[1]) == (3, ids[1])
    assert await read(ids[0]) == (3, ids[1])
    assert await read(ids[3]) == (1, ids[3])
    assert await read(2**53 - 1) == (0, ids[4])
    assert await read(1) == (0, ids[4])
    await write(found.buyer, found.path)
    assert (await found.seen_by(found.seller))["unread"] == 1
    # The writer's own messages are not unread for the writer, and are no sign of reading.
    assert (await found.seen_by(found.buyer))["unread"] == 0
    assert (await found.seen_by(found.seller))["readUpTo"] is None
    for bad in (0, -1, "5", None, 1.5, 2**53, 2**70):
        answer = await found.seller.post(f"{found.path}/read", json={"upTo": bad})
        assert answer.status_code == 400, bad


@pytest.mark.heavy
async def test_reading_while_the_other_writes_counts_every_message(api: Api) -> None:
    found = await talk(api)

    async def write_all() -> None:
        for _ in range(20):
            await write(found.buyer, found.path)

    async def read_all() -> None:
        for _ in range(20):
            last = (await found.seen_by(found.seller))["last"]["id"]
            await found.seller.post(f"{found.path}/read", json={"upTo": last})

    await asyncio.gather(write_all(), read_all(), write_all())
    seller, buyer = await found.seen_by(found.seller), await found.seen_by(found.buyer)
    messages = (await found.buyer.get(f"{found.path}/messages")).json()["results"]
    assert len(messages) == 41
    assert seller["unread"] == sum(m["id"] > (buyer["readUpTo"] or 0) for m in messages)


@pytest.mark.heavy
async def test_a_hidden_conversation_comes_back_with_the_next_message(api: Api) -> None:
    found = await talk(api)
    for _ in range(2):
        assert (await found.seller.post(f"{found.path}/hide")).status_code == 204
    assert await inbox(found.seller) == []
    assert await inbox(found.seller, unread="true") == []
    assert len(await inbox(found.buyer)) == 1
    assert (await found.seen_by(found.seller))["unread"] == 1
    await write(found.buyer, found.path)
    [listed] = await inbox(found.seller)
    assert listed["unread"] == 2


@pytest.mark.heavy
async def test_a_list_is_walked_by_key_and_filtered(api: Api) -> None:
    dealer = await grown(api)
    others = [await api.person() for _ in range(3)]
    ads = [(await dealer.post_ad(title=f"Table {n}"))["pk"] for n in range(2)]
    foreign = (await others[0].post_ad())["pk"]
    began = [(await write(other, f"/ads/{ad}"))["conversation"] for ad in ads for other in others]
    began.append((await write(dealer, f"/ads/{foreign}"))["conversation"])
    # The one last spoken in first.
    await write(others[1], f"/conversations/{began[1]}")
    expected = [began[1], *[one for one in reversed(began) if one != began[1]]]
    assert [one["id"] for one in await inbox(dealer)] == expected
    for limit in (1, 2, 3, 7, 100):
        found: list[int] = []
        query: dict[str, object] = {"limit": limit}
        while True:
            page = await dealer.get("/conversations", params=query)
            found += [one["id"] for one in page.json()["results"]]
            assert (page.json()["next"] is None) == ("Link" not in page.headers)
            if page.json()["next"] is None:
                break
            query["cursor"] = page.json()["next"]
        assert found == expected, limit
    assert {one["id"] for one in await inbox(dealer, ad=ads[0])} == set(began[:3])
    await dealer.post(f"/conversations/{began[0]}/read", json={"upTo": 2**50})
    unread = {one["id"] for one in await inbox(dealer, unread="true")}
    assert unread == set(began[1:6])
    assert len(await inbox(dealer, unread="true", ad=ads[0])) == 2
    for bad in ("unread=maybe", "ad=0", "ad=x", "limit=0", "cursor=x"):
        assert (await dealer.get(f"/conversations?{bad}")).status_code == 400, bad
    cursor = (await dealer.get("/conversations?limit=1")).json()["next"]
    assert (await dealer.get(f"/conversations?unread=true&cursor={cursor}")).status_code == 410
    assert (await others[0].get(f"/conversations?cursor={cursor}")).status_code == 410


async def test_messages_are_walked_newest_first(api: Api) -> None:
    found = await talk(api)
    for number in range(5):
        await write(found.seller if number % 2 else found.buyer, found.path, f"{number}")
    seen: list[str] = []
    query: dict[str, object] = {"limit": 2}
    while True:
        page = (await found.seller.get(f"{found.path}/messages", params=query)).json()
        seen += [message["text"] for message in page["results"]]
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert seen == ["4", "3", "2", "1", "0", "Is it still there?"]


@pytest.mark.heavy
async def test_long_messages_end_a_page_early(api: Api) -> None:
    found = await talk(api)
    for _ in range(40):
        await write(found.buyer, found.path, "ü" * 4000)
    page = (await found.seller.get(f"{found.path}/messages")).json()
    assert 10 < len(page["results"]) < 30
    assert page["next"] is not None


@pytest.mark.parametrize("text", ["", "x" * 4001, None, 5, "a\x00b", "\u202e"])
async def test_a_text_has_limits(api: Api, text: object) -> None:
    found = await talk(api)
    for path in (found.path, found.about):
        answer = await found.buyer.post(f"{path}/messages", json={"text": text})
        assert answer.status_code == 400
        assert [fault["pointer"] for fault in answer.json()["errors"]] == ["/text"]
    await write(found.buyer, found.path, "x" * 4000)


async def test_a_message_with_a_key_is_sent_once(api: Api) -> None:
    found = await talk(api)
    for path in (found.about, found.path):
        headers = {"Idempotency-Key": f"once {path}"}
        answers = [
            await found.buyer.post(f"{path}/messages", json={"text": "Once"}, headers=headers)
            for _ in range(3)
        ]
        assert [answer.status_code for answer in answers] == [201] * 3
        assert len({answer.json()["id"] for answer in answers}) == 1
        other = await found.buyer.post(f"{path}/messages", json={"text": "More"}, headers=headers)
        assert other.status_code == 422
    assert await found.texts_for(found.seller) == ["Is it still there?", "Once", "Once"]


async def test_a_deleted_account_leaves_its_messages_without_a_name(api: Api) -> None:
    seller, buyer = await api.person(firstName="Sara"), await api.person(firstName="Boris")
    found = await talk(api, seller, buyer)
    gone = await buyer.request("DELETE", "/users/me", json={"currentPassword": buyer.password})
    assert gone.status_code == 204
    left = await found.seen_by(seller)
    assert (left["other"], left["unread"]) == (None, 1)
    assert await found.texts_for(seller) == ["Is it still there?"]
    refused = await seller.post(f"{found.path}/messages", json={"text": "Hello?"})
    assert (refused.status_code, refused.json()["type"]) == (403, "/problems#closed")
    assert "Boris" not in json.dumps(await inbox(seller))


@pytest.mark.heavy
async def test_an_account_begins_few_conversations_while_it_is_young(start_api: ApiFactory) -> None:
    async with start_api(
        rate_limits="on",
        conversations_first_day=2,
        conversations_first_week=3,
        conversations_per_day=4,
    ) as api:
        seller, buyer = await api.person(), await api.person()
        ads = [(await seller.post_ad())["pk"] for _ in range(6)]

        async def statuses() -> list[int]:
            return [
                (await buyer.post(f"/ads/{ad}/messages", json={"text": "Hi"})).status_code
                for ad in ads
            ]

        assert await statuses() == [201, 201, 429, 429, 429, 429]
        await api.sql("UPDATE users SET created_at = now() - interval '2 days'")
        # Those that there are go on.
        assert await statuses() == [201, 201, 201, 429, 429, 429]
        await api.sql("UPDATE users SET created_at = now() - interval '8 days'")
        assert await statuses() == [201, 201, 201, 201, 429, 429]
        refused = await buyer.post(f"/ads/{ads[5]}/messages", json={"text": "Hi"})
        assert int(refused.headers["Retry-After"]) > 86_000
        # Answers are not counted, and after a day there is room again.
        await api.sql("UPDATE conversations SET created_at = created_at - interval '24 hours'")
        assert await statuses() == [201] * 6


@pytest.mark.guard
async def test_strangers_together_begin_few_conversations_with_one_receiver(
    start_api: ApiFactory,
) -> None:
    """Whoever they are, also accounts that are gone; and however many write at once."""
    async with start_api(rate_limits="on", strangers_per_receiver=4) as api:
        seller, other = await api.person(), await api.person()
        ads = [(await seller.post_ad())["pk"] for _ in range(3)]
        elsewhere = (await other.post_ad())["pk"]
        young = [await api.person() for _ in range(4)]

        async def write_to(buyer: Person, ad: int) -> int:
            answer = await buyer.post(f"/ads/{ad}/messages", json={"text": f"Hi {buyer.id}"})
            if answer.status_code == 429:
                assert "receiver" in answer.headers["RateLimit-Policy"]
            return answer.status_code

        statuses = []
        for start in range(0, 9, 3):
            together = (write_to(young[n % 4], ads[n % 3]) for n in range(start, start + 3))
            statuses += await asyncio.gather(*together)
        assert sorted(statuses) == [201] * 4 + [429] * 5
        (count,) = await api.sql("SELECT count(*) FROM conversations")
        assert count == 4
        [gone] = await api.sql("SELECT max(buyer_id) FROM conversations")
        await api.sql("DELETE FROM users WHERE id = :id", id=gone)
        stranger = await api.person()
        refused = await stranger.post(f"/ads/{ads[0]}/messages", json={"text": "Hi"})
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 86_000
        # Others are not concerned, nor conversations that there are, nor accounts of more than a
        # week; and the day ends.
        assert await write_to(stranger, elsewhere) == 201
        first = "FROM conversations WHERE buyer_id IS NOT NULL ORDER BY id LIMIT 1"
        [known] = await api.sql("SELECT buyer_id " + first)
        [about] = await api.sql("SELECT ad_id " + first)
        [buyer] = [one for one in young if one.id == known]
        assert await write_to(buyer, about) == 201
        grow = "UPDATE users SET created_at = now() - interval '8 days' WHERE id = :id"
        await api.sql(grow, id=stranger.id)
        assert await write_to(stranger, ads[0]) == 201
        await api.sql("UPDATE conversations SET created_at = created_at - interval '24 hours'")
        assert await write_to(await api.person(), ads[1]) == 201


@pytest.mark.heavy
async def test_messages_are_limited(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", messages_per_user=2) as api:
        found = await talk(api)
        await write(found.buyer, found.path)
        for path in (found.path, found.about):
            refused = await found.buyer.post(f"{path}/messages", json={"text": "Hi"})
            assert refused.status_code == 429
        await write(found.seller, found.path)


@pytest.mark.heavy
async def test_messages_count_for_the_quota_of_texts(start_api: ApiFactory) -> None:
    async with start_api(text_quota_bytes=300_000, json_body_max_bytes=65536) as api:
        found = await talk(api)
        [before] = await api.sql(
            "SELECT coalesce(sum(bytes), 0) FROM text_totals WHERE owner_id = :id",
            id=found.buyer.id,
        )
        assert before == len("Is it still there?")
        await api.sql(
            "INSERT INTO text_totals (owner_id, bytes) VALUES (:id, 300000)", id=found.buyer.id
        )
        refused = await found.buyer.post(f"{found.path}/messages", json={"text": "Hi"})
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems#quota-exceeded")
        await write(found.seller, found.path)


@pytest.mark.heavy
async def test_some_sites_want_a_confirmed_address_first(start_api: ApiFactory) -> None:
    async with start_api(mail_required="contact") as api:
        seller, buyer = await api.person(), await api.person()
        await api.sql(
            "UPDATE users SET mail_verified = true, mail = 'x' WHERE id = :id", id=seller.id
        )
        ad = (await seller.post_ad())["pk"]
        refused = await buyer.post(f"/ads/{ad}/messages", json={"text": "Hi"})
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems#mail-not-verified")


async def blocked(person: Person, path: str) -> bool:
    answer = await person.post(f"{path}/messages", json={"text": "Hi"})
    assert answer.status_code in {201, 403}, answer.text
    assert answer.status_code == 201 or answer.json()["type"] == "/problems#blocked"
    return answer.status_code == 403


@pytest.mark.heavy
async def test_a_block_ends_talk_in_both_directions(start_api: ApiFactory, api: Api) -> None:
    async with start_api() as other:
        found = await talk(api)
        path = f"/users/me/blocks/{found.buyer.id}"
        for _ in range(2):
            assert (await found.seller.request("PUT", path)).status_code == 204
        # On every process.
        elsewhere = await other.client.post(
            f"{found.path}/messages", json={"text": "Hi"}, headers=found.buyer.headers
        )
        assert elsewhere.status_code == 403
        for person in (found.buyer, found.seller):
            assert await blocked(person, found.path)
            assert (await found.seen_by(person))["blocked"] is True
        ad = (await found.seller.post_ad())["pk"]
        assert await blocked(found.buyer, f"/ads/{ad}")
        assert await inbox(found.buyer, ad=ad) == []
        listed = (await found.seller.get("/users/me/blocks")).json()["results"]
        assert [one["id"] for one in listed] == [found.buyer.id]
        assert (await found.buyer.get("/users/me/blocks")).json()["results"] == []
        for _ in range(2):
            assert (await found.seller.delete(path)).status_code == 204
        assert not await blocked(found.buyer, found.path)


async def test_blocks_are_refused_for_oneself_and_for_what_does_not_exist(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, other = await api.person(), await api.person()
    for wrong, status in ((person.id, 400), (0, 400), ("x", 400), (99_999_999, 404)):
        answer = await person.request("PUT", f"/users/me/blocks/{wrong}")
        assert answer.status_code == status, wrong
    assert (await api.client.put(f"/users/me/blocks/{other.id}")).status_code == 401
    assert (await api.client.delete(f"/users/me/blocks/{other.id}")).status_code == 401
    assert (await api.client.get("/users/me/blocks")).status_code == 401
    monkeypatch.setattr("adsvc.api.routers.conversations.MOST_BLOCKS", 1)
    await other.post_ad()
    assert (await person.request("PUT", f"/users/me/blocks/{other.id}")).status_code == 204
    assert (await person.request("PUT", f"/users/me/blocks/{other.id}")).status_code == 204
    third = await api.person()
    await third.post_ad()
    full = await person.request("PUT", f"/users/me/blocks/{third.id}")
    assert (full.status_code, full.json()["type"]) == (409, "/problems#too-many")
