"""Deals, and who rates whom and when."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from adsvc.services import following
from adsvc.services.moderation.decisions import show_again
from conftest import ApiFactory
from support.mail.delivered import deliver
from support.scene.api import PASSWORD, Api
from support.scene.deals import HIDDEN_TEXT, age, bargain, deals_of, rate, ratings_of
from support.scene.fan_outs import work
from support.scene.moderation import (
    TERMS,
    decide,
    moderator,
    only_case,
    reported,
    undo,
)
from support.scene.talk import talk


@pytest.fixture
async def quiet(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """Nothing else works on its database."""
    async with start_own_api(jobs="off") as started:
        yield started


@pytest.mark.heavy
async def test_ratings_are_shown_when_both_are_in(api: Api) -> None:
    made = await bargain(api)
    seller, buyer = made.seller, made.buyer
    first = await rate(buyer, made, 2, HIDDEN_TEXT)
    assert (first["stars"], first["text"], first["role"]) == (2, HIDDEN_TEXT, "buyer")
    assert first["by"]["id"] == buyer.id
    # Until then the rated account learns nothing of it.
    own = [
        await seller.get("/users/me/deals"),
        await seller.get("/users/me/export"),
        await seller.get("/users/me/notifications"),
        await api.client.get(f"/sellers/{seller.id}/ratings"),
    ]
    assert [answer.status_code for answer in own] == [200] * 4
    assert not any(HIDDEN_TEXT in answer.text for answer in own)
    assert (await made.seen_by(seller))["theirs"] is None
    assert (await made.seen_by(buyer))["mine"] == first
    assert HIDDEN_TEXT in (await buyer.get("/users/me/export")).text
    second = await rate(seller, made, 5)
    deal = await made.seen_by(seller)
    assert (deal["mine"], deal["theirs"], deal["role"]) == (second, first, "seller")
    assert (deal["other"]["id"], deal["ad"]["status"]) == (buyer.id, "sold")
    assert deal["until"] - deal["at"] == 14 * 86_400_000
    # The buyer still sees what was bought.
    bought = (await buyer.get(made.talk.about)).json()
    assert (bought["status"], bought["pk"]) == ("sold", made.talk.ad)
    assert (await (await api.person()).get(made.talk.about)).status_code == 410
    assert await ratings_of(api, seller) == [first]
    assert await ratings_of(api, buyer) == [second]


@pytest.mark.heavy
async def test_a_deal_is_rated_once_by_its_parties_within_14_days(api: Api) -> None:
    made, stranger = await bargain(api), await api.person()
    for body in ({}, {"stars": 0}, {"stars": 6}, {"stars": 5.5}, {"stars": 5, "text": "x" * 501}):
        assert (await made.buyer.post(made.path, json=body)).status_code == 400, body
    assert (await stranger.post(made.path, json={"stars": 5})).status_code == 404
    assert (await made.buyer.post("/deals/987654/ratings", json={"stars": 5})).status_code == 404
    assert (await api.client.post(made.path, json={"stars": 5})).status_code == 401
    await rate(made.buyer, made)
    again = await made.buyer.post(made.path, json={"stars": 1})
    assert (again.status_code, again.json()["type"]) == (409, "/problems#already-rated")
    await age(api, made, 14)
    late = await made.seller.post(made.path, json={"stars": 1})
    assert (late.status_code, late.json()["type"]) == (409, "/problems#rating-closed")


@pytest.mark.heavy
async def test_an_accepted_offer_that_is_done_is_a_deal(api: Api) -> None:
    found = await talk(api)
    offer = (await found.buyer.post(f"{found.path}/offers", json={"price": 90})).json()
    done = f"/offers/{offer['id']}/done"
    for person in (found.seller, found.buyer):
        assert (await person.post(done)).status_code == 409
    assert (await found.seller.post(f"/offers/{offer['id']}/accept")).status_code == 200
    assert (await found.buyer.post(done)).status_code == 409
    assert (await (await api.person()).post(done)).status_code == 404
    # A block changes nothing of the deal.
    await found.buyer.put(f"/users/me/blocks/{found.seller.id}")
    answers = await asyncio.gather(*(found.seller.post(done) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    [offer] = [answer.json() for answer in answers if answer.status_code == 200]
    assert offer["status"] == "done"
    [deal] = await deals_of(found.buyer, ad=found.ad)
    assert (deal["price"], deal["ad"]["status"], deal["ad"]["price"]) == (90, "sold", 90)
    assert await deals_of(found.buyer, ad=found.ad + 1) == []
    for person in (found.buyer, found.seller):
        answer = await person.post(f"/deals/{deal['id']}/ratings", json={"stars": 4})
        assert answer.status_code == 201
    # Those who have only bought have a page too.
    assert (await api.client.get(f"/sellers/{found.buyer.id}")).status_code == 200


@pytest.mark.heavy
async def test_from_three_on_everyone_sees_the_average(api: Api) -> None:
    seller = await api.person()
    shown = (await seller.post_ad())["pk"]
    for stars in (5, 4, 5):
        found = (await api.client.get(f"/ads/{shown}/details")).json()["author"]
        assert found["rating"] is None
        made = await bargain(api, seller)
        await rate(made.buyer, made, stars)
        await rate(seller, made)
    for path in (f"/ads/{shown}/details", f"/sellers/{seller.id}"):
        found = (await api.client.get(path)).json()
        assert found.get("author", found)["rating"] == {"average": 4.7, "count": 3}
    # Page by page.
    first = (await api.client.get(f"/sellers/{seller.id}/ratings?limit=2")).json()
    rest = await ratings_of(api, seller, cursor=first["next"])
    assert [one["stars"] for one in [*first["results"], *rest]] == [5, 4, 5]
    assert (await api.client.get("/sellers/987654/ratings")).status_code == 404


async def test_the_rated_account_answers_once(api: Api) -> None:
    made = await bargain(api)
    rating = await rate(made.buyer, made, 1, "Too late")
    path = f"/ratings/{rating['id']}/answer"
    assert (await made.seller.post(path, json={"text": "No"})).status_code == 404
    await rate(made.seller, made)
    for person in (made.buyer, await api.person()):
        assert (await person.post(path, json={"text": "No"})).status_code == 404
    assert (await made.seller.post(path, json={"text": ""})).status_code == 400
    answered = await made.seller.post(path, json={"text": "The train was."})
    assert (answered.status_code, answered.json()["answer"]["text"]) == (200, "The train was.")
    again = await made.seller.post(path, json={"text": "Really"})
    assert (again.status_code, again.json()["type"]) == (409, "/problems#already-answered")
    assert await ratings_of(api, made.seller) == [answered.json()]


@pytest.mark.heavy
async def test_moderators_remove_a_rating_and_restore_it(api: Api) -> None:
    made, judge = await bargain(api), await moderator(api)
    rating = await rate(made.buyer, made, 1, HIDDEN_TEXT)
    path = f"/ratings/{rating['id']}"
    sent = {"reason": "offensive"}
    assert (await made.seller.post(f"{path}/reports", json=sent)).status_code == 404
    await rate(made.seller, made)
    assert (await made.buyer.post(f"{path}/reports", json=sent)).status_code == 403
    await reported(api, path)
    case = await only_case(judge, rating["id"])
    assert (case["kind"], case["snapshot"]["text"], case["snapshot"]["stars"]) == (
        "rating", HIDDEN_TEXT, 1
    )  # fmt: skip
    assert case["ad"] == made.talk.ad
    decision = await decide(judge, case["id"], "removeRating")
    assert await ratings_of(api, made.seller) == []
    assert (await made.seen_by(made.seller))["theirs"] is None
    assert (await made.seen_by(made.buyer))["mine"]["text"] == HIDDEN_TEXT
    other = await moderator(api)
    assert (await undo(other, decision["id"])).status_code == 201
    assert await ratings_of(api, made.seller) == [rating]


@pytest.mark.heavy
async def test_the_ratings_of_a_suspended_account_do_not_count(api: Api) -> None:
    seller, admin, judge = await api.person(), await api.admin(), await moderator(api)
    made = [await bargain(api, seller) for _ in range(3)]
    given = [await rate(one.buyer, one, stars) for one, stars in zip(made, (5, 5, 1), strict=True)]
    for one in made:
        await rate(seller, one)
    bad, path = made[2].buyer, f"/sellers/{seller.id}"

    async def shown() -> tuple[object, list[object]]:
        found = (await api.client.get(path)).json()["rating"]
        return found, [one["stars"] for one in await ratings_of(api, seller)]

    everything = ({"average": 3.7, "count": 3}, [1, 5, 5])
    assert await shown() == everything
    dry = await admin.post(f"/users/{bad.id}/expel", json={**TERMS, "dryRun": True})
    assert dry.json()["ratings"] == 1
    await admin.post(f"/users/{bad.id}/suspend", json={**TERMS, "days": 1})
    assert await shown() == (None, [5, 5])
    assert (await made[2].seen_by(seller))["theirs"] is None
    await api.sql("UPDATE users SET suspended_until = now() WHERE suspended_until IS NOT NULL")
    await show_again(api.state.database, api.state.store)
    assert await shown() == everything
    # What is removed by a decision of its own comes back when both are undone.
    await reported(api, f"/ratings/{given[2]['id']}")
    decision = await decide(judge, (await only_case(judge))["id"], "removeRating")
    content = (await admin.post(f"/users/{bad.id}/expel", json=TERMS)).json()
    assert content["ratings"] == 0
    assert (await undo(await moderator(api), decision["id"])).status_code == 201
    assert await shown() == (None, [5, 5])
    assert (await admin.post(f"/users/{bad.id}/restore")).status_code == 200
    assert await shown() == everything


@pytest.mark.heavy
async def test_a_rating_stays_without_a_name(api: Api) -> None:
    seller = await api.person()
    made, unrated, bad = [await bargain(api, seller) for _ in range(3)]
    rating = await rate(made.buyer, made, 4, "Fine")
    await rate(seller, made)
    insult = await rate(bad.buyer, bad, 1, "Crook")
    await rate(seller, bad)
    await reported(api, f"/ratings/{insult['id']}")
    await seller.delete(f"/ads/{made.talk.ad}")
    for one in (made, unrated, bad):
        gone = await one.buyer.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
        assert gone.status_code == 204, gone.text
    # No moderator could decide about the one that waits for a decision.
    nameless = {**rating, "by": None}
    assert await ratings_of(api, seller) == [nameless]
    # Moderators still decide about one that is reported later, but not about its author.
    judge, path = await moderator(api), f"/ratings/{rating['id']}"
    await reported(api, path)
    case = await only_case(judge, rating["id"])
    assert (case["author"], case["snapshot"]["text"]) == (None, "Fine")
    decisions = f"/moderation/cases/{case['id']}/decisions"
    refused = await judge.post(decisions, json={"action": "suspendAccount", **TERMS})
    assert refused.json()["errors"][0]["pointer"] == "/action"
    decision = await decide(judge, case["id"], "removeRating")
    assert await ratings_of(api, seller) == []
    assert (await undo(await moderator(api), decision["id"])).status_code == 201
    assert await ratings_of(api, seller) == [nameless]
    deal = await made.seen_by(seller)
    assert (deal["ad"], deal["other"], deal["theirs"]["by"]) == (None, None, None)
    late = await seller.post(unrated.path, json={"stars": 1})
    assert (late.status_code, late.json()["type"]) == (409, "/problems#rating-closed")
    assert (await api.client.get(f"/sellers/{made.buyer.id}/ratings")).status_code == 404


@pytest.mark.heavy
async def test_notices_come_after_two_days_and_when_a_rating_is_shown(quiet: Api) -> None:
    api, made = quiet, await bargain(quiet)
    await api.sql("UPDATE users SET mail = username, mail_verified = TRUE")

    async def subjects() -> list[str]:
        await following.queue_endings(api.state.database)
        await work(api)
        return [str(mail["Subject"]) for mail in await deliver(api)]

    await subjects()
    await age(api, made, 2)
    await rate(made.buyer, made, 3, HIDDEN_TEXT)
    # The other one is reminded, once.
    assert await subjects() == ["How was the deal about “Oak table”?"]
    assert await subjects() == []
    await age(api, made, 14)
    mails = await subjects()
    assert mails == ["You were rated for “Oak table”"]
    notices = (await made.seller.get("/users/me/notifications")).json()["results"]
    assert [one["type"] for one in notices][:2] == ["rating", "ratingReminder"]
    assert [one["text"] for one in await ratings_of(api, made.seller)] == [HIDDEN_TEXT]
    events = await api.sql("SELECT type, data FROM events WHERE type LIKE 'rating%' ORDER BY id")
    assert len(events) == 2
    assert not await api.sql("SELECT id FROM events WHERE data::text LIKE '%Wobbly%'")


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [1, 8])
async def test_no_order_of_calls_makes_a_rating_without_a_deal(api: Api, seed: int) -> None:
    rng, found = random.Random(seed), await talk(api)
    seller, buyer, stranger = found.seller, found.buyer, await api.person()
    offer = (await buyer.post(f"{found.path}/offers", json={"price": 90})).json()["id"]
    steps = [
        *(f"/offers/{offer}/{step}" for step in ("accept", "decline", "withdraw", "done")),
        *(
            f"{found.about}/{step}"
            for step in ("sell", "reserve", "release", "withdraw", "publish")
        ),
        *[f"/deals/{number}/ratings" for number in (1, 2)] * 4,
        *[f"/ratings/{number}/answer" for number in (1, 2)] * 2,
    ]
    for _ in range(90):
        path, person = rng.choice(steps), rng.choice((seller, buyer, stranger))
        [last] = await api.sql("SELECT coalesce(max(id), 0) FROM deals")
        [rating] = await api.sql("SELECT coalesce(max(id), 0) FROM ratings")
        path = path.replace("deals/1", f"deals/{last}").replace("ratings/1", f"ratings/{rating}")
        body = {"text": "Yes", "stars": rng.randint(1, 5)}
        if path.endswith("sell"):
            body = {"buyer": rng.choice((buyer.id, stranger.id, seller.id))}
        done = await person.post(path, json=None if path.startswith("/offers") else body)
        assert done.status_code < 500, (path, done.text)
        if done.status_code == 201:
            assert person is not stranger
    assert await api.sql("SELECT id FROM ratings")
    [unfounded] = await api.sql("""
        SELECT count(*) FROM ratings LEFT JOIN deals ON deals.id = deal_id
        LEFT JOIN conversations AS c ON c.ad_id = deals.ad_id AND c.buyer_id = deals.buyer_id
        LEFT JOIN ads ON ads.id = deals.ad_id AND ads.author_id = deals.seller_id
        WHERE deals.id IS NULL OR c.sold_at IS NULL OR ads.status <> 'sold' OR ads.id IS NULL
            OR ratings.author_id
                <> CASE role WHEN 'buyer' THEN deals.buyer_id ELSE deals.seller_id END
            OR rated_id <> CASE role WHEN 'buyer' THEN deals.seller_id ELSE deals.buyer_id END
            OR (shown_at IS NOT NULL)
                <> ((SELECT count(*) FROM ratings AS r WHERE r.deal_id = deals.id) = 2)
    """)
    assert unfounded == 0


@pytest.mark.heavy
async def test_of_ratings_at_once_one_counts_and_both_are_shown(api: Api) -> None:
    made = await bargain(api)
    people = [made.seller, made.buyer] * 4
    answers = await asyncio.gather(
        *(person.post(made.path, json={"stars": 5}) for person in people)
    )
    assert sorted(answer.status_code for answer in answers) == [201] * 2 + [409] * 6
    for person in (made.seller, made.buyer):
        assert len(await ratings_of(api, person)) == 1
