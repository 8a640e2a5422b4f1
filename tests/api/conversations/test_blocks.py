"""What a block keeps from an account, and which accounts can be blocked."""

import pytest

from adsvc.api.caching import LEAN_BYTES, MOST_WITHHELD
from support.scene.api import PASSWORD, Api, Person
from support.scene.talk import grown, talk, write
from support.scene.warmth import settle


async def block(person: Person, other: Person) -> int:
    return (await person.put(f"/users/me/blocks/{other.id}")).status_code


async def comment(person: Person, ad: int, text: str = "Nice.") -> int:
    answer = await person.post(f"/ads/{ad}/comments", json={"text": text})
    assert answer.status_code == 200, answer.text
    made: int = answer.json()["pk"]
    return made


@pytest.mark.heavy
async def test_only_accounts_that_one_has_met_can_be_blocked(api: Api) -> None:
    one, stranger, draft_author = [await api.person() for _ in range(3)]
    drafted = await draft_author.post("/ads/drafts", json={"title": "Oak table"})
    assert drafted.status_code == 201, drafted.text
    assert await block(one, stranger) == 404
    assert await block(one, draft_author) == 404
    assert (await one.get("/users/me/blocks")).json()["results"] == []

    seller, commenter = await api.person(), await api.person()
    ad = await seller.post_ad()
    await comment(commenter, ad["pk"])
    found = await talk(api)
    assert await block(one, seller) == 204
    assert await block(one, commenter) == 204
    # A buyer has published nothing: only the seller has met it.
    assert await block(found.seller, found.buyer) == 204
    assert await block(one, found.buyer) == 404
    # An account that is blocked stays so when its ad is gone.
    await seller.delete(f"/ads/{ad['pk']}")
    assert await block(one, seller) == 204


async def test_a_blocked_account_cannot_comment_on_the_blockers_ads(api: Api) -> None:
    author, blocked, admin = await api.person(), await api.person(), await api.admin()
    ad = (await author.post_ad())["pk"]
    older = await comment(blocked, ad)
    assert await block(author, blocked) == 204
    for sent in (
        await blocked.post(f"/ads/{ad}/comments", json={"text": "Again"}),
        await blocked.post(f"/ads/{ad}/comments?validate=true", json={"text": "Again"}),
        await blocked.patch(f"/ads/{ad}/comments/{older}", json={"text": "Worse"}),
    ):
        assert sent.status_code == 403
        assert sent.json()["type"] == "/problems#blocked"
    shown = (await author.get(f"/ads/{ad}/comments")).json()["results"]
    assert [one["text"] for one in shown] == ["Nice."]
    # Moderation goes on, and its author may take a comment back.
    changed = await admin.patch(f"/ads/{ad}/comments/{older}", json={"text": "Fine."})
    assert changed.status_code == 200
    assert (await blocked.delete(f"/ads/{ad}/comments/{older}")).status_code == 204
    assert (await author.delete(f"/users/me/blocks/{blocked.id}")).status_code == 204
    await comment(blocked, ad)


async def test_the_author_of_an_ad_deletes_comments_on_it_and_nowhere_else(api: Api) -> None:
    author, other, writer = [await api.person() for _ in range(3)]
    mine, theirs = (await author.post_ad())["pk"], (await other.post_ad())["pk"]
    on_mine, on_theirs = await comment(writer, mine), await comment(writer, theirs)
    refused = await author.patch(f"/ads/{mine}/comments/{on_mine}", json={"text": "Better"})
    assert refused.status_code == 403
    assert (await author.delete(f"/ads/{theirs}/comments/{on_theirs}")).status_code == 403
    assert (await other.delete(f"/ads/{mine}/comments/{on_mine}")).status_code == 403
    assert (await author.delete(f"/ads/{mine}/comments/{on_mine}")).status_code == 204
    assert (await writer.get(f"/ads/{mine}/comments/{on_mine}")).status_code == 404


@pytest.mark.heavy
async def test_a_blocked_account_reads_no_contact(api: Api) -> None:
    author, blocked, other = await api.person(phone="+49 30 1234567"), await api.person(), None
    other, admin = await api.person(), await api.admin()
    ad = (await author.post_ad())["pk"]

    async def contact(person: Person) -> tuple[str, str]:
        # Twice: the second answer may be one that is kept.
        for _ in range(2):
            answer = (await person.get(f"/ads/{ad}")).json()
        return answer["email"], answer["phone"]

    whole = (author.username, "+49 30 1234567")
    await comment(blocked, ad)
    assert await contact(blocked) == whole
    assert await block(author, blocked) == 204
    for _ in range(2):
        assert await contact(blocked) == ("", "")
        assert await contact(other) == whole
        assert await contact(author) == whole
        assert await contact(admin) == whole
    assert (await blocked.post(f"/ads/{ad}/phone")).status_code == 403
    assert (await author.delete(f"/users/me/blocks/{blocked.id}")).status_code == 204
    assert await contact(blocked) == whole


@pytest.mark.heavy
async def test_ads_of_an_author_with_many_blocks_are_not_kept_in_memory(api: Api) -> None:
    other = await api.person()
    added = """
        WITH added AS (
            INSERT INTO users
                (username, username_key, password_hash, first_name, last_name, phone, role)
            SELECT 'many' || number, 'many' || number, '', '', '', '', 'USER'
            FROM generate_series(1, :many) AS number RETURNING id
        )
        INSERT INTO blocks (owner_id, blocked_id) SELECT :author, id FROM added RETURNING TRUE
    """
    for many, is_kept in ((MOST_WITHHELD, True), (MOST_WITHHELD + 1, False)):
        author = await api.person()
        ad = (await author.post_ad())["pk"]
        await api.sql(added.replace("'many'", f"'many{many}-'"), many=many, author=author.id)
        await settle(api)
        for _ in range(2):
            assert (await other.get(f"/ads/{ad}")).json()["email"] == author.username
        kept = api.state.responses.ad(str(ad), other.id)
        assert (kept is not None) is is_kept, many
        assert kept is None or kept.size < 2 * LEAN_BYTES + len(kept.body) + 64 * MOST_WITHHELD


@pytest.mark.heavy
async def test_a_blocked_account_does_not_see_how_far_the_blocker_has_read(api: Api) -> None:
    found = await talk(api)
    read = {"upTo": found.first}
    assert await block(found.seller, found.buyer) == 204
    assert (await found.seller.post(f"{found.path}/read", json=read)).status_code == 204
    assert (await found.seen_by(found.buyer))["readUpTo"] is None
    listed = (await found.buyer.get("/conversations")).json()["results"]
    assert [one["readUpTo"] for one in listed] == [None]
    await found.seller.delete(f"/users/me/blocks/{found.buyer.id}")
    assert (await found.seen_by(found.buyer))["readUpTo"] == found.first


@pytest.mark.heavy
async def test_a_blocked_account_withdraws_its_own_offer(api: Api) -> None:
    found = await talk(api)
    made = await found.buyer.post(f"{found.path}/offers", json={"price": 900})
    offer = made.json()["id"]
    before = await found.texts_for(found.seller)
    assert await block(found.seller, found.buyer) == 204
    withdrawn = await found.buyer.post(f"/offers/{offer}/withdraw")
    assert (withdrawn.status_code, withdrawn.json()["status"]) == (200, "withdrawn")
    # A block lets nothing through.
    assert await found.texts_for(found.seller) == before
    assert (await found.seen_by(found.seller))["offer"] is None
    again = await found.buyer.post(f"{found.path}/offers", json={"price": 950})
    assert again.status_code == 403


@pytest.mark.heavy
async def test_open_offers_end_with_either_account(api: Api) -> None:
    for gone, status in (("buyer", "withdrawn"), ("seller", "declined")):
        found = await talk(api)
        await found.buyer.post(f"{found.path}/offers", json={"price": 900})
        leaving: Person = getattr(found, gone)
        sent = {"currentPassword": PASSWORD}
        assert (await leaving.request("DELETE", "/users/me", json=sent)).status_code == 204
        assert await api.sql("SELECT status FROM offers ORDER BY id DESC LIMIT 1") == [status]


@pytest.mark.heavy
async def test_an_expired_offer_stays_expired_when_an_account_is_deleted(api: Api) -> None:
    found = await talk(api)
    await found.buyer.post(f"{found.path}/offers", json={"price": 900})
    await api.sql("UPDATE offers SET expires_at = now()")
    assert (
        await found.seller.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
    ).status_code == 204
    listed = (await found.buyer.get(f"{found.path}/messages")).json()["results"]
    assert [message["offer"]["status"] for message in listed if message["offer"]] == ["expired"]


@pytest.mark.heavy
async def test_offers_are_held_with_the_message_of_their_author(api: Api) -> None:
    young = await api.person()
    first = [await grown(api) for _ in range(10)]
    text = "Please write to me elsewhere, for a much better price, as soon as you can."
    for seller in first:
        await write(young, f"/ads/{(await seller.post_ad())['pk']}", text)
    found = await talk(api, await grown(api), young)
    # The seller knows the conversation; only the second text is held.
    await write_again(young, found.path, text)
    made = await young.post(f"{found.path}/offers", json={"price": 900})
    assert made.status_code == 201, made.text
    offer = made.json()["id"]
    assert (await found.seen_by(young))["offer"]["id"] == offer

    seen = await found.seen_by(found.seller)
    assert (seen["offer"], seen["unread"]) == (None, 1)
    listed = (await found.seller.get(f"{found.path}/messages")).json()["results"]
    assert [message["kind"] for message in listed] == ["text"]
    for step in ("accept", "decline"):
        assert (await found.seller.post(f"/offers/{offer}/{step}")).status_code == 404
    admin = await api.admin()
    [case] = [
        one
        for one in (await admin.get("/moderation/cases")).json()["results"]
        if one["kind"] == "message"
    ]
    dismissed = await admin.post(
        f"/moderation/cases/{case['id']}/decisions", json={"action": "dismiss"}
    )
    assert dismissed.status_code == 201, dismissed.text
    seen = await found.seen_by(found.seller)
    assert (seen["offer"]["id"], seen["unread"]) == (offer, 3)
    assert (await found.seller.post(f"/offers/{offer}/accept")).status_code == 200


async def write_again(person: Person, path: str, text: str) -> None:
    answer = await person.post(f"{path}/messages", json={"text": text})
    assert answer.status_code == 201, answer.text
