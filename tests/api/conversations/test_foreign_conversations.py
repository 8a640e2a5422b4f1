"""What an account learns of conversations that are not its own, and whom a new one reaches."""

import json
import statistics
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from adsvc.settings import Storefront
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.listings import insert_ads
from support.scene.moderation import moderator
from support.scene.storefront import build, path_of
from support.scene.talk import inbox, talk, write

NO_SUCH_ID = 987_654_321
# Of conversations and of offers, with a body where there is one.
REQUESTS: list[tuple[str, str, Any]] = [
    ("GET", "/conversations/{conversation}", None),
    ("GET", "/conversations/{conversation}/messages", None),
    ("POST", "/conversations/{conversation}/messages", {"text": "Hello"}),
    ("POST", "/conversations/{conversation}/messages/{message}/reports", {"reason": "scam"}),
    ("POST", "/conversations/{conversation}/read", {"upTo": 1}),
    ("POST", "/conversations/{conversation}/hide", None),
    ("POST", "/conversations/{conversation}/offers", {"price": 5}),
    ("POST", "/offers/{offer}/accept", None),
    ("POST", "/offers/{offer}/decline", None),
    ("POST", "/offers/{offer}/withdraw", None),
]


def seen(answer: httpx2.Response) -> tuple[int, Any, Any]:
    """All of an answer but what belongs to the request alone."""
    own = {"x-request-id", "date", "ratelimit"}
    body = answer.json()
    del body["instance"]
    headers = {name: value for name, value in answer.headers.items() if name not in own}
    return answer.status_code, headers, body


async def compared(api: Api, stranger: Person, tries: int) -> dict[str, tuple[float, float]]:
    """The median times of refusals, by request: of what is others', and of what does not exist."""
    found = await talk(api)
    made = await found.buyer.post(f"{found.path}/offers", json={"price": 5})
    ids = {"conversation": found.id, "offer": made.json()["id"], "message": found.first}
    nothing = dict.fromkeys(ids, NO_SUCH_ID)
    medians = {}
    for method, path, body in REQUESTS:
        answers: list[tuple[int, Any, Any]] = []
        seconds: dict[bool, list[float]] = {True: [], False: []}
        for number in range(tries):
            # In turns, so that what else the machine does slows down both.
            exists = number % 2 == 0
            at = path.format(**(ids if exists else nothing))
            began = time.perf_counter()
            answer = await stranger.request(method, at, json=body)
            seconds[exists].append(time.perf_counter() - began)
            answers.append(seen(answer))
        assert answers[0][0] == 404
        assert all(answer == answers[0] for answer in answers), path
        medians[f"{method} {path}"] = (
            statistics.median(seconds[True]), statistics.median(seconds[False])
        )  # fmt: skip
    assert await found.texts_for(found.seller) == ["Is it still there?", ""]
    assert (await found.seen_by(found.seller))["offer"]["status"] == "open"
    return medians


@pytest.mark.guard
async def test_what_is_others_is_refused_as_what_does_not_exist(api: Api) -> None:
    for stranger in (await api.person(), await moderator(api), await api.admin()):
        await compared(api, stranger, 4)


@pytest.mark.large
async def test_a_refusal_takes_as_long_whether_or_not_the_thing_exists(api: Api) -> None:
    for request, (others, nothing) in (await compared(api, await api.person(), 1000)).items():
        assert abs(others - nothing) <= 0.1 * max(others, nothing), (request, others, nothing)


PRIVATE = {
    # Accounts see an author's names, by `GET /ads/{id}`.
    "seller": ("sara.private@example.com", "+49 30 1110001"),
    "buyer": ("boris.private@example.com", "+49 30 2220002", "Borislast", "Borisfirst"),
}
SAID = "Nightingale at noon"


async def crawled(
    api: Api, reader: Person | None, ids: set[int], named: set[str]
) -> list[tuple[str, str]]:
    """The texts of all answers that a reader gets to a GET, with the addresses and headers.

    Those of the named pages are among them.
    """
    paths = (await api.client.get("/openapi.json")).json()["paths"]
    pages = {*named, *(f"/{page}" for page in ("a/1", "feed.xml", "messages"))}
    for path, operations in paths.items():
        if "get" in operations and not path.endswith("stream"):
            parts = path.replace("{", "\0{").split("\0")
            filled = {""}
            for part in parts:
                name, _, rest = part.rpartition("}")
                values = [str(number) for number in ids] if name else [""]
                filled = {f"{before}{value}{rest}" for before in filled for value in values}
            pages |= filled
    found = []
    for page in sorted(pages):
        answer = await (reader.get(page) if reader else api.client.get(page))
        assert answer.status_code == 200 or page not in named, (page, answer.status_code)
        if answer.status_code == 200:
            found.append((page, answer.text + json.dumps(dict(answer.headers))))
    return found


@pytest.mark.parametrize("contact", ["open", "hidden"])
@pytest.mark.heavy
async def test_a_third_account_finds_nothing_of_the_parties(
    start_api: ApiFactory, tmp_path: Path, contact: str
) -> None:
    """But the seller's contact by `GET /ads/{id}`, where contacts are open."""
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path)}
    async with start_api(contact=contact, **front) as api:
        seller = await api.person(PRIVATE["seller"][0], phone=PRIVATE["seller"][1])
        mail, phone, last, first = PRIVATE["buyer"]
        buyer = await api.person(mail, phone=phone, lastName=last, firstName=first)
        found = await talk(api, seller, buyer)
        await write(buyer, found.path, SAID)
        await found.buyer.post(f"{found.path}/offers", json={"price": 5})
        ids = {found.ad, found.id, found.first, seller.id, buyer.id}
        ad = (await seller.get(found.about)).json()
        named = {"/", path_of(ad), f"/seller/{seller.id}", "/robots.txt", "/search", "/messages"}
        secrets = (*(PRIVATE["seller"] if contact == "hidden" else ()), *PRIVATE["buyer"], SAID)
        for reader in (await api.person(), None):
            answers = await crawled(api, reader, ids, named)
            assert len(answers) > 10
            for page, text in answers:
                for secret in secrets:
                    assert secret not in text, page


@pytest.mark.heavy
async def test_ten_new_accounts_reach_fifty_sellers_a_day(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on") as api:
        sellers = [await api.person() for _ in range(60)]
        ads = [
            pk for seller in sellers for pk in await insert_ads(api, seller.id, [{"title": "Oak"}])
        ]
        for number in range(10):
            spammer = await api.person()
            # Each writes to others than those before, and another text to each.
            for step in range(8):
                at = (number * 6 + step) % len(ads)
                await spammer.post(f"/ads/{ads[at]}/messages", json={"text": f"Buy it {'x' * at}"})
        reached = [seller for seller in sellers if await inbox(seller)]
        assert 0 < len(reached) <= 50
