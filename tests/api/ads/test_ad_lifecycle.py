"""The steps of an ad's life (docs/interface.md, Ads), who takes them, and who sees what of it."""

import asyncio
import re
from typing import Any

import pytest
from sqlalchemy import text

from adsvc.enums import AdStatus, AdvisoryLock
from adsvc.repositories.ads.listing import COUNT_BY_STATUS
from adsvc.services.ads.lifecycle import steps_from
from conftest import ApiFactory
from support.scene.api import Api, Person

STATUSES = tuple(AdStatus)
MARKING = text(f"SELECT pg_advisory_xact_lock({AdvisoryLock.EXPIRY})")
# As the interface has it.
STEPS_THERE_ARE = {
    "publish": ({"draft", "withdrawn", "expired"}, "active"),
    "reserve": ({"active"}, "reserved"),
    "release": ({"reserved"}, "active"),
    "sell": ({"active", "reserved"}, "sold"),
    "withdraw": ({"draft", "active", "reserved", "expired"}, "withdrawn"),
    "renew": ({"active", "expired"}, "active"),
}


async def with_status(api: Api, author: Person, status: str) -> int:
    """A new ad that has come to that."""
    ad: int = (await author.post_ad())["pk"]
    await api.sql("UPDATE ads SET status = :status WHERE id = :ad", status=status, ad=ad)
    return ad


async def expiring(api: Api, ad: int, seconds: float) -> None:
    """As if the ad had been published so long ago, and not marked as expired yet."""
    await api.sql(
        "UPDATE ads SET expires_at = now() + make_interval(secs => :s) WHERE id = :ad",
        s=seconds, ad=ad,
    )  # fmt: skip


async def step(who: Person, ad: int, name: str, **sent: Any) -> tuple[int, dict[str, Any]]:
    answer = await who.post(f"/ads/{ad}/{name}", **sent)
    return answer.status_code, answer.json()


async def events(api: Api, ad: int) -> list[str]:
    return await api.sql(
        "SELECT concat_ws(' ', event, from_status, to_status, actor_id) FROM ad_events"
        " WHERE ad_id = :ad ORDER BY id",
        ad=ad,
    )


@pytest.mark.heavy
async def test_each_status_has_its_steps_and_no_other(api: Api) -> None:
    author = await api.person()
    for status in STATUSES:
        allowed = [name for name, (sources, _) in STEPS_THERE_ARE.items() if status in sources]
        assert steps_from(status) == allowed
        for name, (sources, to) in STEPS_THERE_ARE.items():
            ad = await with_status(api, author, status)
            told, body = await step(author, ad, name)
            now = (await author.get(f"/ads/{ad}")).json()["status"]
            if status in sources:
                assert (told, body["status"], now) == (200, to, to), (status, name)
                continue
            assert (told, now) == (409, status), (status, name)
            assert body["type"] == "/problems#illegal-transition"
            assert (body["from"], body["allowed"]) == (status, allowed), (status, name)


@pytest.mark.heavy
async def test_a_step_answers_the_ad_and_is_in_its_history(api: Api) -> None:
    author = await api.person()
    ad = await author.post_ad(status="draft")
    assert ad["status"] == "draft"
    for name in ("publish", "reserve", "release", "renew", "withdraw", "publish", "sell"):
        told, changed = await step(author, ad["pk"], name)
        assert told == 200, (name, changed)
        assert {**changed, "status": "", "updatedAt": 0} == {**ad, "status": "", "updatedAt": 0}
    me = author.id
    assert await events(api, ad["pk"]) == [
        f"created draft {me}", f"published draft active {me}", f"reserved active reserved {me}",
        f"released reserved active {me}", f"renewed active active {me}",
        f"withdrawn active withdrawn {me}", f"published withdrawn active {me}",
        f"sold active sold {me}",
    ]  # fmt: skip


@pytest.mark.heavy
async def test_an_ad_may_be_sold_for_another_price(api: Api) -> None:
    author = await api.person()
    for sent, price in (
        ({"json": {"price": 1200}}, 1200), ({"json": {"price": "1300"}}, 1300),
        ({"json": {}}, 1500), ({}, 1500), ({"headers": {"Content-Type": "application/json"}}, 1500),
    ):  # fmt: skip
        ad = (await author.post_ad())["pk"]
        told, sold = await step(author, ad, "sell", **sent)
        assert (told, sold["price"], sold["status"]) == (200, price, "sold"), sent
        detail = (await author.get(f"/ads/{ad}")).json()
        assert detail["soldAt"] == sold["updatedAt"]
        assert detail["expiresAt"] is None


async def test_a_price_that_is_none_sells_nothing(api: Api) -> None:
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    for price in (-1, 1.5, "1e3", None, True, 2**31):
        told, body = await step(author, ad, "sell", json={"price": price})
        assert told == 400, price
        assert [fault["pointer"] for fault in body["errors"]] == ["/price"], price
    told, _ = await step(author, ad, "sell", content=b"{", headers={"Content-Type": "text/x"})
    assert told == 415
    told, _ = await step(
        author, ad, "sell", content=b" " * 70_000, headers={"Content-Type": "application/json"}
    )
    assert told == 413
    assert (await author.get(f"/ads/{ad}")).json()["status"] == "active"


@pytest.mark.heavy
async def test_of_two_steps_at_once_one_is_refused(api: Api) -> None:
    author = await api.person()
    for _ in range(5):
        ad = (await author.post_ad())["pk"]
        told = await asyncio.gather(*(step(author, ad, "reserve") for _ in range(4)))
        assert sorted(status for status, _ in told) == [200, 409, 409, 409]
        assert {body["from"] for status, body in told if status == 409} == {"reserved"}
        assert len(await events(api, ad)) == 2


@pytest.mark.heavy
async def test_an_ad_is_created_active_or_as_a_draft(api: Api) -> None:
    author = await api.person()
    assert (await author.post_ad(status="active"))["status"] == "active"
    for status in ("sold", "expired", "", None, 1):
        with pytest.raises(AssertionError, match="/status"):
            await author.post_ad(status=status)
    draft = (await author.post_ad(status="draft"))["pk"]
    # Only steps change a status.
    changed = await author.patch(f"/ads/{draft}", json={"status": "active", "price": 7})
    assert (changed.status_code, changed.json()["status"]) == (200, "draft")


@pytest.mark.heavy
async def test_lists_counts_and_facets_have_what_is_shown(api: Api) -> None:
    author = await api.person()
    ads = {status: await with_status(api, author, status) for status in STATUSES}
    late = await with_status(api, author, "reserved")
    shown = [late, ads[AdStatus.RESERVED], ads[AdStatus.ACTIVE]]
    for query in ("", "?q=oak", "?minPrice=1", f"?author={author.id}", "?sort=-price&q=table"):
        found = (await api.client.get(f"/ads{query}")).json()
        assert ([ad["pk"] for ad in found["results"]], found["count"]) == (shown, 3), query
    assert (await api.client.get("/ads/facets")).json()["count"] == 3
    assert (await api.client.get("/ads/facets?q=oak")).json()["count"] == 3
    own = (await author.get("/ads/me")).json()
    assert ([ad["pk"] for ad in own["results"]], own["count"]) == ([*range(9, 0, -1)], 9)
    await expiring(api, late, -1)
    for query in ("", "?q=oak", "?minPrice=1", f"?author={author.id}", "?sort=-price&q=table"):
        found = (await api.client.get(f"/ads{query}")).json()
        assert [ad["pk"] for ad in found["results"]] == shown[1:], query


@pytest.mark.heavy
async def test_one_s_own_ads_are_listed_by_status(api: Api) -> None:
    author, other = await api.person(), await api.person()
    await other.post_ad()
    ads = {str(status): await with_status(api, author, status) for status in STATUSES}
    late = await with_status(api, author, "active")
    await expiring(api, late, -1)
    for chosen in (["draft"], ["sold", "active"], ["expired"], ["expired", "expired", "draft"]):
        found = (await author.get("/ads/me", params={"status": chosen})).json()
        ids = {ads[status] for status in chosen} | ({late} if "expired" in chosen else set())
        assert [ad["pk"] for ad in found["results"]] == sorted(ids, reverse=True), chosen
        assert (found["count"], found["countExact"]) == (len(ids), True), chosen
        assert {ad["status"] for ad in found["results"]} == set(chosen), chosen
        # Of all of them, whatever was chosen.
        counts = {**dict.fromkeys(ads, 1), "expired": 2}
        assert found["counts"] == counts, chosen
    for wrong in ("", "gone", "DRAFT", "draft,sold"):
        answer = await author.get("/ads/me", params={"status": ["draft", wrong]})
        assert answer.status_code == 400, wrong
        assert [fault["parameter"] for fault in answer.json()["errors"]] == ["status"], wrong


@pytest.mark.heavy
async def test_the_way_to_the_next_page_of_one_s_own_keeps_the_statuses(api: Api) -> None:
    author = await api.person()
    drafts = [(await author.post_ad(status="draft"))["pk"] for _ in range(3)]
    await author.post_ad()
    met: list[int] = []
    path: str | None = "/ads/me?status=draft&status=sold&limit=2"
    while path:
        answer = await author.get(path)
        assert ("counts" in answer.json()) == ("cursor" not in path)
        met += [ad["pk"] for ad in answer.json()["results"]]
        path = answer.links["next"]["url"] if answer.links else None
    assert met == drafts[::-1]
    cursor = (await author.get("/ads/me?status=draft&limit=2")).json()["next"]
    assert (await author.get(f"/ads/me?status=sold&cursor={cursor}")).status_code == 410


@pytest.mark.heavy
async def test_what_is_published_is_shown_for_as_long_as_the_operator_says(
    start_api: ApiFactory,
) -> None:
    day = 86_400_000
    async with start_api(ad_days=30) as api:
        author = await api.person()
        draft = (await author.post_ad(status="draft"))["pk"]
        active = (await author.post_ad())["pk"]

        async def lasts(ad: int) -> int | None:
            found = (await author.get(f"/ads/{ad}")).json()["expiresAt"]
            [now] = await api.sql("SELECT (extract(epoch FROM now()) * 1000)::bigint")
            return None if found is None else round((found - now) / day)

        assert (await lasts(draft), await lasts(active)) == (None, 30)
        await step(author, draft, "publish")
        assert await lasts(draft) == 30
        await expiring(api, active, 60)
        for name, days in (("reserve", 0), ("release", 0), ("renew", 30), ("withdraw", None)):
            assert (await step(author, active, name))[0] == 200
            assert await lasts(active) == days, name


async def test_without_a_term_ads_are_shown_for_ever(api: Api) -> None:
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    for name in ("renew", "withdraw", "publish"):
        await expiring(api, ad, 60)
        await step(author, ad, name)
        assert (await author.get(f"/ads/{ad}")).json()["expiresAt"] is None, name


@pytest.mark.heavy
async def test_an_ad_past_its_time_counts_as_expired_before_it_is_marked(api: Api) -> None:
    author = await api.person()
    for name, told in (("reserve", 409), ("sell", 409), ("publish", 200), ("withdraw", 200)):
        ad = (await author.post_ad())["pk"]
        # Whoever marks waits for its turn.
        async with api.state.database.transaction() as transaction:
            await transaction.execute(MARKING)
            await expiring(api, ad, -1)
            assert (await author.get(f"/ads/{ad}")).json()["status"] == "expired"
            status, body = await step(author, ad, name)
        assert status == told, name
        if told == 409:
            assert (body["from"], body["allowed"]) == ("expired", ["publish", "withdraw", "renew"])
        else:
            taken = {
                "publish": "published expired active",
                "withdraw": "withdrawn expired withdrawn",
            }
            assert (await events(api, ad))[1:] == [
                "expired active expired",
                f"{taken[name]} {author.id}",
            ]


@pytest.mark.heavy
async def test_a_plain_change_leaves_the_status(api: Api) -> None:
    author = await api.person()
    for status in STATUSES:
        ad = await with_status(api, author, status)
        changed = await author.patch(f"/ads/{ad}", json={"title": "Pine table"})
        assert (changed.status_code, changed.json()["status"]) == (200, status)


@pytest.mark.heavy
async def test_comments_are_hidden_with_their_ad(api: Api) -> None:
    """But everybody keeps their own."""
    author, stranger, admin = await api.person(), await api.person(), await api.admin()
    gone = dict.fromkeys(("sold", "expired"), 410)
    gone |= dict.fromkeys(("draft", "withdrawn", "suspended", "removed"), 404)
    for status in STATUSES:
        ad = (await author.post_ad())["pk"]
        path, said = f"/ads/{ad}/comments", {"json": {"text": "Still there?"}}
        theirs, own = [(await who.post(path, **said)).json()["pk"] for who in (author, stranger)]
        await api.sql("UPDATE ads SET status = :status WHERE id = :ad", status=status, ad=ad)
        expected = gone.get(status, 200)
        for answer in (
            await stranger.get(path),
            await stranger.post(path, **said),
            await stranger.get(f"{path}/{theirs}"),
        ):
            assert answer.status_code == expected, status
            if expected != 200:
                slug = "gone" if expected == 410 else "ad-not-found"
                assert answer.json()["type"] == f"/problems#{slug}", status
        # Before the body is looked at.
        refused = await stranger.post(path, json={"text": ""})
        assert refused.status_code == (400 if expected == 200 else expected), status
        changed = await stranger.patch(f"{path}/{theirs}", **said)
        assert changed.status_code == (403 if expected == 200 else expected), status
        for who in (author, admin):
            assert (await who.get(path)).status_code == 200, status
            assert (await who.post(path, **said)).status_code == 200, status
        assert (await stranger.get(f"{path}/{own}")).status_code == 200, status
        assert (await stranger.patch(f"{path}/{own}", **said)).status_code == 200, status
        assert (await stranger.delete(f"{path}/{own}")).status_code == 204, status


async def test_a_comment_on_an_ad_past_its_time_is_refused_before_it_is_marked(api: Api) -> None:
    author, stranger = await api.person(), await api.person()
    ad = (await author.post_ad())["pk"]
    async with api.state.database.transaction() as transaction:
        await transaction.execute(MARKING)
        await expiring(api, ad, -1)
        path = f"/ads/{ad}/comments"
        assert (await stranger.get(path)).status_code == 410
        assert (await stranger.post(path, json={"text": "Hello"})).status_code == 410


@pytest.mark.heavy
async def test_own_ads_are_counted_by_indexes_alone(start_own_api: ApiFactory) -> None:
    """However many an account has, none of its ads is read for their counts."""
    # Others would meet the statistics of these ads.
    async with start_own_api() as api:
        anna, ben = await api.person(), await api.person()
        await anna.post_ad()
        # Of a table with few rows any index is as good.
        await api.sql(
            "INSERT INTO ads (author_id, title, description, price, image)"
            " SELECT :author, 'Oak table', '', 1, 'none' FROM generate_series(1, 500)"
            " RETURNING id",
            author=ben.id,
        )
        sql = re.sub(r"\$1", str(anna.id), COUNT_BY_STATUS)
        async with api.state.database.autocommit() as session:
            # An index alone costs less than one with its rows, once a vacuum has marked them
            # visible.
            await session.execute(text("VACUUM (ANALYZE) ads"))
            for other in ("seqscan", "bitmapscan"):
                await session.execute(text(f"SET enable_{other} = off"))
            plan = "\n".join(await session.scalars(text(f"EXPLAIN {sql}")))
            await session.execute(text("RESET ALL"))
    scans = re.findall(r"(\w+(?: \w+)?) Scan", plan)
    assert set(scans) == {"Index Only"}, plan
