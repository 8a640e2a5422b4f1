"""What stays in memory while ads change, and how soon another process drops what does not."""

import json
import math
import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, count, cycle
from urllib.parse import quote

from .load import BenchError, Load
from .report import Row, milliseconds
from .servers import Client, Server, free_port
from .throughput import FIRST_PAGE, Scene

HIT_RATE = "hit rate of lists, 20 changes/s in 20 categories"
FORGETTING = "a new price in another process: p99 until its lists have it"

CATEGORIES = 20
CHANGES_PER_SECOND = 20
# Of twenty changes. A comment changes no list.
MIXED = ("price",) * 9 + ("text",) * 4 + ("status",) * 4 + ("comment",) * 3
HIT_SECONDS = 15.0
HIT_GOAL = 5.0
# Four connections, each of which rests so long: up to 100 lists a second.
READERS, REST = 4, 40
# So many requests, after which they come again.
READS = 20_000
HITS = re.compile(r'^adsvc_cache_(hits|misses)_total\{cache="listings"\} (\d+)', re.MULTILINE)

FORGETTING_GOAL = 100.0
# New prices in a round, which no other ad has.
SAMPLES = 100
FIRST_PRICE = 1_000_001
PAUSE_SECONDS = 0.01, 0.08
# Longer than any takes, and than caches are relied on.
PATIENCE_SECONDS = 5.0


def rows(scene: Scene) -> list[Row]:
    wanted = {HIT_RATE: _hit_rate, FORGETTING: _forgetting}
    return [measure(scene) for work, measure in wanted.items() if scene.options.only in work]


def _hit_rate(scene: Scene) -> Row:
    """Both services hear of the same changes, made by a third, and get the same requests."""
    scene.say(f"{HIT_RATE} …")
    own = _own_ads(scene)
    categories = sorted({str(ad["category"]) for ad in own if ad["category"]})
    shuffled = random.Random(7)
    shuffled.shuffle(categories)
    paths = _lists(shuffled, categories[:CATEGORIES])
    ids = [int(str(ad["pk"])) for ad in own if ad["category"] in categories[:CATEGORIES]]
    seconds = max(scene.options.seconds, HIT_SECONDS)
    with ExitStack() as stack:
        both = [
            stack.enter_context(_served(scene, program))
            for program in ("adsvc", "bench.untargeted")
        ]
        stack.enter_context(_changing(scene, ids))
        ratios, rates = [], []
        for _ in range(scene.options.rounds):
            before = [_counted(metrics) for _, metrics in both]
            loads = [Load(server.url, paths, connections=READERS, rest=REST) for server, _ in both]
            with loads[0].start(seconds) as ours, loads[1].start(seconds) as other:
                ours.outcome(), other.outcome()
            found = [
                _rate(then, _counted(metrics))
                for then, (_, metrics) in zip(before, both, strict=True)
            ]
            rates.append(found)
            ratios.append(found[0] / found[1])
    middle = sorted(range(len(ratios)), key=ratios.__getitem__)[len(ratios) // 2]
    return Row(
        HIT_RATE,
        ratios[middle],
        ours=f"{rates[middle][0]:.0%}",
        beside=f"all lists dropped: {rates[middle][1]:.0%}",
        goal=HIT_GOAL,
        rounds=tuple(ratios),
    )


@contextmanager
def _served(scene: Scene, program: str) -> Iterator[tuple[Server, Client]]:
    """With a client of its metrics."""
    port = free_port()
    with scene.site.serving(program=program, ADSVC_METRICS_PORT=str(port)) as server:
        yield server, Client(port)


def _own_ads(scene: Scene) -> list[dict[str, object]]:
    """Shown ads of the account that changes them, the newest first: those that it uploads too."""
    client, path = scene.client, "/ads/me?limit=1000&status=active"
    found: list[dict[str, object]] = []
    cursor: object = ""
    while cursor is not None:
        page = client.ask(f"{path}&cursor={quote(str(cursor))}" if cursor else path).json
        results, cursor = page["results"], page["next"]
        assert isinstance(results, list)
        found += results
    return found


def _lists(shuffled: random.Random, categories: Sequence[str]) -> list[str]:
    """First pages as people open them: some much more often than others."""
    kinds: dict[str, float] = {
        FIRST_PAGE: 10,
        f"{FIRST_PAGE}&sort=price": 2,
        f"{FIRST_PAGE}&q=table": 2,
        f"{FIRST_PAGE}&q=lamp": 1,
    }
    for number, category in enumerate(categories, 1):
        page = f"{FIRST_PAGE}&category={quote(category)}"
        often = 40 / (number + 3)
        kinds |= {
            page: often,
            f"{page}&sort=price": often / 3,
            f"{page}&maxPrice=100": often / 3,
            f"{page}&q=new": often / 3,
        }
    return shuffled.choices(list(kinds), list(kinds.values()), k=READS)


@contextmanager
def _changing(scene: Scene, ids: Sequence[int]) -> Iterator[None]:
    """Changes of the ads at an even pace, by one client."""
    ended, failed = threading.Event(), list[Exception]()
    client, turns = scene.client, random.Random(11)
    kinds = cycle(turns.sample(MIXED, len(MIXED)))

    def change() -> None:
        due = time.monotonic()
        reserved: list[int] = []
        try:
            while not ended.wait(max(0.0, due - time.monotonic())):
                due += 1 / CHANGES_PER_SECOND
                _change(client, next(kinds), turns.choice(ids), turns, reserved)
        except Exception as error:  # noqa: BLE001 - the main thread says it
            failed.append(error)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if failed:
        raise BenchError(f"The changes ended: {failed[0]}")


def _change(
    client: Client, kind: str, ad_id: int, turns: random.Random, reserved: list[int]
) -> None:
    path = f"/ads/{ad_id}"
    as_json = {"Content-Type": "application/json"}
    if kind == "status" and reserved:
        client.ask(f"/ads/{reserved.pop()}/release", method="POST")
    elif kind == "status":
        client.ask(f"{path}/reserve", method="POST")
        reserved.append(ad_id)
    elif kind == "comment":
        client.send_json(f"{path}/comments", {"text": "Still there?"})
    else:
        text = f"As good as new, number {turns.randrange(1000)}."
        sent = {"price": turns.randrange(1, 5000)} if kind == "price" else {"description": text}
        client.ask(path, body=json.dumps(sent).encode(), method="PATCH", headers=as_json)


Counted = tuple[int, int]


def _counted(metrics: Client) -> Counted:
    """Hits and misses of lists so far."""
    found = dict(HITS.findall(metrics.ask("/metrics").body.decode()))
    return int(found["hits"]), int(found["misses"])


def _rate(before: Counted, after: Counted) -> float:
    hits, misses = (late - early for early, late in zip(before, after, strict=True))
    return hits / (hits + misses)


def _forgetting(scene: Scene) -> Row:
    """From the request that changes the price, which is before its commit."""
    scene.say(f"{FORGETTING} …")
    newest = _own_ads(scene)[0]
    path = f"{FIRST_PAGE}&author={newest['author']}"
    turns, prices = random.Random(3), count(FIRST_PRICE)
    with scene.site.serving() as server:
        reader, writer = server.client(), scene.client
        rounds = [
            [_seen_after(writer, reader, f"/ads/{newest['pk']}", path, next(prices), turns)
             for _ in range(SAMPLES)]
            for _ in range(scene.options.rounds)
        ]  # fmt: skip
    every = sorted(chain.from_iterable(rounds))
    return Row(
        FORGETTING,
        _p99(every),
        ours=f"median {milliseconds(every)}",
        unit="ms",
        goal=FORGETTING_GOAL,
        at_least=False,
        rounds=tuple(_p99(sorted(found)) for found in rounds),
    )


def _p99(found: Sequence[float]) -> float:
    return found[math.ceil(len(found) * 0.99) - 1]


def _seen_after(
    writer: Client, reader: Client, ad: str, page: str, price: int, turns: random.Random
) -> float:
    """Milliseconds."""
    for _ in range(2):
        # So that it is in memory.
        reader.ask(page)
    time.sleep(turns.uniform(*PAUSE_SECONDS))
    sent = json.dumps({"price": price}).encode()
    began = time.monotonic()
    writer.ask(ad, body=sent, method="PATCH", headers={"Content-Type": "application/json"})
    while b'"price":%d,' % price not in reader.ask(page).body:
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise BenchError(f"{page} has not had the new price for {PATIENCE_SECONDS:g} s.")
    return (time.monotonic() - began) * 1000
