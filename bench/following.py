"""What a change of an ad costs where people follow ads, beside where nothing is followed.

    ADS=20000 SEARCHES=100000 WATCHERS=100000 ROUNDS=5 .venv/bin/python -m bench.following

One account changes ads, one request after the other. So each figure includes what the worker, in
the same process, does meanwhile with the changes before.
"""

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import asyncpg
from sqlalchemy import make_url

from adsvc.kit.db.database import Database

from .floors import where
from .load import BenchError, interleaved
from .percolation import ACCOUNTS, fill
from .pictures import CONTENT_TYPE, ad_form, photo
from .report import Row, milliseconds
from .servers import Client, Site

# Requests of a round.
CHANGES = 100
POSTS = 20
# Until the worker has done what a round left to it.
SETTLING_SECONDS = 2.0
PAUSE_SECONDS = 0.02
PATIENCE_SECONDS = 300
FIRST_PRICE = 1000
# Below 95 % of the price before, and of all that an ad had.
DROPPED_PRICE = 50
WATCH = """
    INSERT INTO favorites (user_id, ad_id, price)
    SELECT id, $1, $2 FROM users WHERE username LIKE 'reader%'
"""


async def follow(url: str, searches: int, watchers: int) -> None:
    """Accounts, and searches that they save."""
    database = Database(make_url(url), timeout=60)
    connection = await asyncpg.connect(**where(url))
    try:
        await connection.execute(ACCOUNTS, watchers)
        await fill(database, connection, searches, is_trade=False)
    finally:
        await connection.close()
        await database.close()


def posted(client: Client, form: bytes) -> int:
    answer = client.ask("/ads", body=form, headers={"Content-Type": CONTENT_TYPE}, expect=201)
    return int(str(answer.json["pk"]))


def own_ads(client: Client) -> list[int]:
    results = client.ask("/ads/me?limit=1000&status=active").json["results"]
    assert isinstance(results, list)
    return [ad["pk"] for ad in results]


def change(client: Client, ad_id: int, price: int) -> float:
    """Seconds."""
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"price": price}).encode()
    began = time.perf_counter()
    client.ask(f"/ads/{ad_id}", body=body, method="PATCH", headers=headers)
    return time.perf_counter() - began


def post(client: Client, form: bytes) -> float:
    began = time.perf_counter()
    posted(client, form)
    return time.perf_counter() - began


def beside(
    work: str, one: Callable[[Client, int], float], requests: int, both: Sequence[Client],
    rounds: int,
) -> Row:  # fmt: skip
    """The medians of requests to the site with followers and to the one without."""
    number = 0

    def measured(client: Client) -> float:
        nonlocal number
        found = []
        for _ in range(requests):
            number += 1
            found.append(one(client, number))
        time.sleep(SETTLING_SECONDS)
        return statistics.median(found) * 1000

    for client in both:
        measured(client)
    followed, alone = both
    found = interleaved(
        {"followed": lambda: measured(followed), "alone": lambda: measured(alone)}, rounds
    )
    ratios = tuple(a / b for a, b in zip(found["followed"], found["alone"], strict=True))
    return Row(
        work,
        statistics.median(ratios),
        ours=milliseconds(found["followed"]),
        beside=f"nothing followed: {milliseconds(found['alone'])}",
        goal=1.05,
        at_least=False,
        rounds=ratios,
    )


async def drop(url: str, client: Client, watched: int, plain: int) -> list[Row]:
    """A price falls, and changes again and again while its watchers are notified."""
    connection = await asyncpg.connect(**where(url))
    ended = "SELECT bool_and(ended_at IS NOT NULL) FROM fan_outs WHERE ad_id = $1"
    try:
        await connection.execute(WATCH, watched, FIRST_PRICE)
        await connection.execute("VACUUM ANALYZE favorites, users")
        times: dict[int, list[float]] = {watched: [], plain: []}
        began, price = time.perf_counter(), DROPPED_PRICE
        change(client, watched, price)
        while not await connection.fetchval(ended, watched) or len(times[plain]) < CHANGES:
            # As a higher price it leads to no more notices.
            price += 1
            for ad_id in (watched, plain) if price % 2 else (plain, watched):
                times[ad_id].append(change(client, ad_id, price) * 1000)
            if time.perf_counter() - began > PATIENCE_SECONDS:
                raise BenchError("The notices do not end.")
            await asyncio.sleep(PAUSE_SECONDS)
        seconds, notices = await connection.fetchrow(
            "SELECT extract(epoch FROM max(ended_at) - min(at))::float8,"
            " (SELECT count(*) FROM notifications WHERE ad_id = $1)"
            " FROM fan_outs WHERE ad_id = $1",
            watched,
        )
    finally:
        await connection.close()
    name = f"`PATCH /ads/{{id}}`, a new price, {notices:,} watchers"
    return [
        Row(
            name,
            statistics.median(times[watched]) / statistics.median(times[plain]),
            ours=milliseconds(times[watched]),
            beside=f"no watchers: {milliseconds(times[plain])}",
            goal=1.1,
            at_least=False,
        ),
        Row(
            f"{notices:,} notices of a lower price",
            seconds,
            ours="until the last",
            beside="of one change",
            unit="s",
            goal=60,
            at_least=False,
        ),
    ]


def main() -> None:
    ads, searches, watchers, rounds = (
        int(os.environ.get(name, usual))
        for name, usual in (
            ("ADS", "20000"), ("SEARCHES", "100000"), ("WATCHERS", "100000"), ("ROUNDS", "5"),
        )
    )  # fmt: skip
    form = ad_form(photo((320, 240)))
    with tempfile.TemporaryDirectory(prefix="adsvc-bench-") as directory, ExitStack() as stack:
        sites = [Site(Path(directory).resolve() / name, ads) for name in ("followed", "alone")]
        for site in sites:
            site.seed()
        followed, _ = [stack.enter_context(site.database()) for site in sites]
        asyncio.run(follow(followed, searches, watchers))
        servers = [stack.enter_context(site.serving()) for site in sites]
        both = [
            server.client(Authorization=site.log_in(server))
            for site, server in zip(sites, servers, strict=True)
        ]
        ids = {id(client): own_ads(client) for client in both}

        def new_price(client: Client, number: int) -> float:
            own = ids[id(client)]
            return change(client, own[number % len(own)], FIRST_PRICE + number)

        rows = [
            beside("`PATCH /ads/{id}`, people follow", new_price, CHANGES, both, rounds),
            beside("`POST /ads`, people follow", lambda client, _: post(client, form), POSTS, both,
                   rounds),
        ]  # fmt: skip
        watched, plain = (posted(both[0], form) for _ in range(2))
        rows += asyncio.run(drop(followed, both[0], watched, plain))
    for row in rows:
        print(f"{row.work}: {row.ours}, {row.beside}: {row.figure}, goal {row.wanted}")


if __name__ == "__main__":
    main()
