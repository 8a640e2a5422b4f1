"""Prices in a smaller unit: where they are written, and the conversion of all that are stored."""

from typing import Any

import pytest
from sqlalchemy import BigInteger, Integer, MetaData

from adsvc.errors import OperatorError
from adsvc.repositories.operation.site import PRICED
from adsvc.services.site import SiteState
from adsvc.settings.money import Money
from support.scene.api import Api, Person
from support.scene.factors import kind

# Written by hand: the tables that the conversion reads as JSON.
NOTICE = """
    INSERT INTO notifications (user_id, type, ad_id, data)
    VALUES (:user, 'priceDropped', :ad, '{"from": 1250, "to": 1249}')
"""


async def converted(
    api: Api, decimals: int, *, dry_run: bool = False
) -> dict[str, tuple[int, int]]:
    """As `adsvc site set-decimals` does."""
    site: SiteState = api.state.site
    async with api.state.database.transaction() as transaction:
        rows = await site.set_decimals(transaction, decimals, actor="operator", dry_run=dry_run)
    return {row["name"]: (row["prices"], row["rounded"]) for row in rows if row["prices"]}


@pytest.mark.parametrize(
    ("decimals", "amount", "line", "text"),
    [
        (0, 1250, "1250 CHF", "1.250\xa0CHF"),
        (2, 1250, "12.50 CHF", "12,50\xa0CHF"),
        (2, 5, "0.05 CHF", "0,05\xa0CHF"),
        (3, 123_456_789, "123456.789 CHF", "123.456,789\xa0CHF"),
        (3, 0, "0.000 CHF", "0,000\xa0CHF"),
    ],
)
def test_an_amount_has_its_decimals(decimals: int, amount: int, line: str, text: str) -> None:
    money = Money("CHF", decimals)
    assert (money.line(amount), money.text(amount, "de")) == (line, text)
    assert money.number(amount) == pytest.approx(amount / 10**decimals)


def test_all_columns_of_prices_are_converted(schema: MetaData) -> None:
    found = {
        (table.name, column.name)
        for table in schema.tables.values()
        for column in table.columns
        if "price" in column.name and isinstance(column.type, Integer | BigInteger)
    }
    assert found == {(table, name) for table, names in PRICED.items() for name in names}


@pytest.mark.heavy
async def test_decimals_are_chosen_before_there_are_ads(api: Api) -> None:
    admin, author = await api.admin(), await api.person()
    for wrong in (1, 4, "2", True):
        answer = await admin.patch("/admin/site", json={"priceDecimals": wrong})
        assert [fault["pointer"] for fault in answer.json()["errors"]] == ["/priceDecimals"]
    answer = await admin.patch("/admin/site", json={"priceDecimals": 2, "currency": "CHF"})
    assert answer.json()["priceDecimals"] == 2
    assert (await api.client.get("/site")).json()["priceDecimals"] == 2
    ad = await author.post_ad(price=1250)
    [band] = (await api.client.get("/ads/facets")).json()["prices"]
    assert (band["min"], band["max"]) == (1000, 1999)
    history = (await admin.get("/admin/site/history")).json()["results"]
    for refused in (
        await admin.patch("/admin/site", json={"priceDecimals": 0}),
        await admin.post(f"/admin/site/history/{history[0]['id']}/restore"),
    ):
        assert (refused.status_code, kind(refused)) == (409, "has-ads")
    assert (await author.delete(f"/ads/{ad['pk']}")).status_code == 204
    # A deleted ad can come back.
    await api.sql(
        "INSERT INTO deletions (id, kind, target_id, owner_id, label, actor, ends_at)"
        " VALUES (1, 'ad', 1, 1, '', '1', now())"
    )
    await api.sql("INSERT INTO deleted_rows (deletion_id, place, content) VALUES (1, 'ads', '{}')")
    answer = await admin.patch("/admin/site", json={"priceDecimals": 0})
    assert kind(answer) == "has-ads"
    await api.sql("DELETE FROM deletions")
    assert (await admin.patch("/admin/site", json={"priceDecimals": 0})).status_code == 200


async def _search(buyer: Person, query: str) -> dict[str, Any]:
    answer = await buyer.post("/users/me/searches", json={"query": query, "name": query})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.heavy
async def test_all_prices_are_converted(api: Api) -> None:
    author, buyer = await api.person(), await api.person()
    ad, dear = await author.post_ad(price=1500), await author.post_ad(price=2_000_000_000)
    path = f"/ads/{ad['pk']}"
    await buyer.put(f"/users/me/favorites/{ad['pk']}")
    assert (await author.patch(path, json={"price": 1250})).status_code == 200
    message = (await buyer.post(f"{path}/messages", json={"text": "Hello"})).json()
    conversation = f"/conversations/{message['conversation']}"
    await buyer.post(f"{conversation}/offers", json={"price": 1149})
    for query in ("q=oak&minPrice=1149&maxPrice=1251", "q=oak&minPrice=1051&maxPrice=1349"):
        await _search(buyer, query)
    await api.sql(NOTICE, user=buyer.id, ad=ad["pk"])
    # The sequencer copies them from one table to the other, and deletes them later.
    events = """
        SELECT count(*) FROM (
            SELECT id, type FROM changes UNION SELECT change_id, type FROM events
        ) AS logged WHERE type LIKE 'ad.%'
    """
    with pytest.raises(OperatorError):
        await converted(api, 2)
    assert (await author.get(f"/ads/{dear['pk']}")).json()["price"] == 2_000_000_000
    await author.delete(f"/ads/{dear['pk']}")
    counts = await converted(api, 2, dry_run=True)
    assert counts["ads.price"] == (1, 0)
    assert counts["saved_queries.min_price"] == (2, 0)
    assert (await api.client.get("/site")).json()["priceDecimals"] == 0
    [before] = await api.sql(events)

    await converted(api, 2)
    assert (await api.client.get("/site")).json()["priceDecimals"] == 2
    assert (await buyer.get(path)).json()["price"] == 125_000
    assert await api.sql("SELECT price_before FROM ads") == [150_000]
    assert await api.sql(events) == [before]
    [kept] = (await buyer.get("/users/me/favorites")).json()["results"]
    assert kept["priceThen"] == 150_000
    messages = (await buyer.get(f"{conversation}/messages")).json()["results"]
    assert [one["offer"]["price"] for one in messages if one["offer"]] == [114_900]
    searches = (await buyer.get("/users/me/searches")).json()["results"]
    assert {one["query"] for one in searches} == {
        "q=oak&minPrice=105100&maxPrice=134900",
        "q=oak&minPrice=114900&maxPrice=125100",
    }
    listed = (await buyer.get("/users/me/notifications")).json()["results"]
    assert {"before": 125_000, "after": 124_900} in [one.get("price") for one in listed]
    # The index has the new price too.
    found = await api.client.get("/ads", params={"q": "oak", "minPrice": "120000"})
    assert [one["pk"] for one in found.json()["results"]] == [ad["pk"]]
    # What is saved again is the same search.
    again = await buyer.post(
        "/users/me/searches", json={"query": searches[0]["query"], "name": "Again"}
    )
    assert again.status_code == 200
    await author.patch(path, json={"price": 124_950})

    counts = await converted(api, 0)
    assert counts["ads.price"] == (1, 1)
    assert (await buyer.get(path)).json()["price"] == 1250
    searches = (await buyer.get("/users/me/searches")).json()["results"]
    assert {one["query"] for one in searches} == {
        "q=oak&minPrice=1051&maxPrice=1349", "q=oak&minPrice=1149&maxPrice=1251",
    }  # fmt: skip


@pytest.mark.heavy
async def test_searches_that_become_the_same_stay(api: Api) -> None:
    buyer, author = await api.person(), await api.person()
    await converted(api, 3)
    for bound in (900, 1000, 1400):
        await _search(buyer, f"q=oak&maxPrice={bound}")
    await author.post_ad(price=1499)
    counts = await converted(api, 0)
    assert counts["saved_queries.max_price"] == (3, 2)
    searches = (await buyer.get("/users/me/searches")).json()["results"]
    assert [one["query"] for one in searches] == ["q=oak&maxPrice=1"] * 3
    again = await buyer.post(
        "/users/me/searches", json={"query": "q=oak&maxPrice=1", "name": "Again"}
    )
    assert again.status_code == 200
