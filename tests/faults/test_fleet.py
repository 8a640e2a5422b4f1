"""Any one machine of a fleet is lost and comes back, without an operator."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import asyncpg
import pytest

from faults.fleet.cluster import DATABASE, Cluster, until
from faults.fleet.etcd import Etcd
from faults.fleet.patroni import USER, Member
from faults.fleet.site import MISSING, Site, running_site
from faults.fleet.watch import READS, Watch
from faults.ledger import Ledger, Losses, Writers, audit
from faults.scale import SHORT, measured
from faults.served import HOST, Service
from support.s3 import gateway

pytestmark = [
    pytest.mark.drill,
    pytest.mark.alone,
    pytest.mark.skipif(SHORT, reason="a fleet takes minutes: only in the long form"),
    pytest.mark.skipif(
        bool(MISSING), reason=f"Debian's packages are missing: {', '.join(MISSING)}"
    ),
]

WRITERS = 4
# What a supervisor waits before it starts again what has died.
RESTART_SECONDS = 1.0
LONGEST_SILENCE = 10.0
# Writes that were answered since a machine is back, and before one is lost.
ENOUGH = 40


@dataclass
class Drill:
    site: Site
    ledger: Ledger = field(default_factory=lambda: Ledger(proxied=True))

    async def more_writes(self, writers: Writers) -> None:
        before = self.ledger.kept

        async def kept() -> bool:
            writers.check()
            return self.ledger.kept >= before + ENOUGH

        await until(kept, self.site.log)


@pytest.fixture(scope="module")
async def drill(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Drill]:
    if lacking := gateway.missing(build=True):
        pytest.skip(f"the fleet needs versitygw; {lacking}")
    async with running_site(tmp_path_factory.mktemp("fleet")) as site:
        yield Drill(site)


async def _lose_node(site: Site, node: Service) -> None:
    await site.kill(node)
    await asyncio.sleep(RESTART_SECONDS)
    await node.start()


async def _lose_first_node(site: Site) -> None:
    await _lose_node(site, site.nodes[0])


async def _lose_second_node(site: Site) -> None:
    await _lose_node(site, site.nodes[1])


async def _lose_proxy(site: Site) -> None:
    site.proxy.kill()
    await asyncio.sleep(RESTART_SECONDS)
    site.proxy.start()


async def _lose_pictures(site: Site) -> None:
    site.pictures.kill()
    await asyncio.sleep(RESTART_SECONDS)
    site.pictures.start()


async def _lose_keeper(site: Site) -> None:
    """The one of etcd that leads the others."""
    leads = [await keeper.leads() for keeper in site.cluster.etcd]
    keeper: Etcd = site.cluster.etcd[leads.index(True)]
    await asyncio.to_thread(keeper.kill)
    await asyncio.sleep(RESTART_SECONDS)
    keeper.start()


async def _lose_postgres(site: Site) -> None:
    """Patroni beside it decides what becomes of it."""
    primary = await site.cluster.primary()
    await asyncio.to_thread(primary.kill_postgres)


async def _lose_standby(site: Site) -> None:
    standby = await site.cluster.standby()
    await asyncio.to_thread(standby.kill)
    await asyncio.sleep(RESTART_SECONDS)
    standby.start()


async def _taken_over(site: Site, lost: Member) -> float:
    async def by_the_other() -> bool:
        return await site.cluster.leader() not in {None, lost}

    return await until(by_the_other, site.log)


async def _lose_primary(site: Site) -> None:
    """Its machine is away until the standby has taken over, and comes back as the standby."""
    primary = await site.cluster.primary()
    await asyncio.to_thread(primary.kill)
    measured("row 40: the standby takes over after", await _taken_over(site, primary))
    await asyncio.sleep(RESTART_SECONDS)
    primary.start()


async def _lose_primary_after_replication(site: Site) -> None:
    """What the standby lacks was not acknowledged."""
    primary = await site.cluster.primary()
    primary.hold_back()
    await asyncio.sleep(RESTART_SECONDS)
    await asyncio.to_thread(primary.kill)
    await _taken_over(site, primary)
    primary.start()


async def _freeze_primary(site: Site) -> None:
    """It still takes connections, and answers nothing.

    A watchdog resets such a machine, as Patroni asks for: its version 3.0.2 takes the lock back
    from whoever has it when it goes on.
    """
    primary = await site.cluster.primary()
    primary.freeze()
    await _taken_over(site, primary)
    await asyncio.to_thread(primary.kill)
    await asyncio.sleep(RESTART_SECONDS)
    primary.start()


MACHINES: dict[str, Callable[[Site], Awaitable[None]]] = {
    "first node": _lose_first_node,
    "second node": _lose_second_node,
    "proxy": _lose_proxy,
    "store of pictures": _lose_pictures,
    "leader of etcd": _lose_keeper,
    "primary's PostgreSQL": _lose_postgres,
    "standby": _lose_standby,
    "primary": _lose_primary,
    "primary, replication held back": _lose_primary_after_replication,
    "primary, frozen": _freeze_primary,
}


# From 1 on each id once; of each ad one event that it was created; prices that follow one from the
# other, and the last of them is the ad's.
GAPS = """
    SELECT count(*) FROM (SELECT id - row_number() OVER (ORDER BY id) AS gap FROM events) e
    WHERE gap <> 0
"""
CREATED = """
    SELECT count(*) FROM ads WHERE 1 <> (
        SELECT count(*) FROM events WHERE ad_id = ads.id AND type = 'ad.created')
"""
PRICES = """
    SELECT count(*) FROM (
        SELECT (data->>'to')::bigint AS price, lead((data->>'from')::bigint, 1, ads.price)
            OVER (PARTITION BY ad_id ORDER BY events.id) AS next
        FROM events JOIN ads ON ads.id = ad_id WHERE type = 'ad.priceChanged') p
    WHERE price <> next
"""


async def _audit_log(cluster: Cluster) -> None:
    """Whichever server and whichever sequencer there was, the log has each change once."""
    primary = await cluster.primary()
    connection = await asyncpg.connect(host=HOST, port=primary.port, user=USER, database=DATABASE)
    try:

        async def moved() -> bool:
            return not await connection.fetchval("SELECT EXISTS (SELECT FROM changes)")

        # Those that were moved are deleted soon after.
        await until(moved, cluster.log)
        events = await connection.fetchval("SELECT count(*) FROM events")
        measured("row 40: events in the log", events, "")
        assert events > 0
        for query in (GAPS, CREATED, PRICES):
            assert await connection.fetchval(query) == 0, query
    finally:
        await connection.close()


async def test_row_40_any_one_machine_is_lost_and_comes_back(drill: Drill) -> None:
    site, ledger = drill.site, drill.ledger
    writers = Writers(site, ledger, number=WRITERS)
    silences: list[str] = []
    async with Watch(site, ledger) as watch:
        await writers.start()
        for machine, lose in MACHINES.items():
            await site.settled()
            await drill.more_writes(writers)
            watch.begin(machine)
            await lose(site)
            measured(f"row 40, {machine} lost: whole again after", await site.settled())
            await drill.more_writes(writers)
            for kind, gap in watch.gaps.items():
                measured(f"row 40, {machine} lost: no {kind} for", gap.longest())
                if kind in READS and gap.longest() > LONGEST_SILENCE:
                    silences.append(f"{machine}: no {kind} for {gap.longest():.1f} s")
        await writers.stop()
    await audit(site, ledger)
    await _audit_log(site.cluster)
    assert not watch.wrong, watch.wrong[:20]
    assert not silences
    assert ledger.unknown > 0
    # No more than were under way when a node was lost.
    assert ledger.repeated <= len(site.nodes) * WRITERS


async def test_row_40_the_audit_finds_what_asynchronous_replication_loses(drill: Drill) -> None:
    site, ledger = drill.site, drill.ledger
    await site.settled()
    await site.cluster.replicate(synchronously=False)
    writers = Writers(site, ledger, number=WRITERS)
    await writers.start()
    primary = await site.cluster.primary()
    primary.hold_back()
    await drill.more_writes(writers)
    # Nobody goes on with what is about to be lost.
    await writers.stop()
    await asyncio.to_thread(primary.kill)
    await _taken_over(site, primary)
    primary.start()
    await site.settled()
    with pytest.raises(Losses, match="is lost"):
        await audit(site, ledger)
