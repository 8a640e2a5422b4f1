"""PostgreSQL twice, Patroni beside each, and etcd three times."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg

from faults.fleet import etcd
from faults.fleet.etcd import Etcd
from faults.fleet.patroni import PRIMARY, STANDBY, SYNCHRONOUS, USER, Member
from faults.served import HOST

DATABASE = "adsvc"
# Long enough for a machine that does other things too: to bootstrap, to take over, to rewind.
SETTLING_SECONDS = 120


async def until(holds: Callable[[], Awaitable[bool]], what: Callable[[], object]) -> float:
    """How long it took; `what` is named if it takes too long."""
    began = time.monotonic()
    while not await holds():
        assert time.monotonic() - began < SETTLING_SECONDS, what()
        await asyncio.sleep(0.1)
    return time.monotonic() - began


@dataclass
class Cluster:
    etcd: list[Etcd]
    members: list[Member]
    synchronous: bool = True

    @property
    def addresses(self) -> str:
        return ",".join(f"{HOST}:{member.port}" for member in self.members)

    def log(self) -> str:
        return "\n".join(member.log()[-4000:] for member in self.members)

    async def roles(self) -> dict[Member, str]:
        """Who is up, as what, as the first that answers has it."""
        # Those that were killed are still listed for a while.
        running = [member for member in self.members if member.runs()]
        for member in running:
            if roles := await member.roles():
                return {one: roles[one.name] for one in running if one.name in roles}
        return {}

    async def leader(self) -> Member | None:
        found = [member for member, role in (await self.roles()).items() if role == PRIMARY]
        return found[0] if found else None

    async def primary(self) -> Member:
        await until(self._is_led, self.log)
        found = await self.leader()
        assert found is not None
        return found

    async def _is_led(self) -> bool:
        return await self.leader() is not None

    async def standby(self) -> Member:
        primary = await self.primary()
        return next(member for member in self.members if member is not primary)

    async def is_whole(self) -> bool:
        """Whether there is a standby that Patroni would let take over."""
        roles = sorted((await self.roles()).values())
        return roles == [PRIMARY, SYNCHRONOUS if self.synchronous else STANDBY]

    async def replicate(self, *, synchronously: bool) -> None:
        """From now on."""
        wanted = {"synchronous_mode": synchronously, "synchronous_mode_strict": synchronously}
        answer = await (await self.primary()).ask("PATCH", "/config", json=wanted)
        assert answer is not None
        assert answer.is_success, answer.text
        self.synchronous = synchronously
        await until(self.is_whole, self.log)

    async def create_database(self) -> None:
        primary = await self.primary()
        connection = await asyncpg.connect(
            host=HOST, port=primary.port, user=USER, database="postgres"
        )
        await connection.execute(f"CREATE ROLE {DATABASE} LOGIN")
        await connection.execute(f"CREATE DATABASE {DATABASE} OWNER {DATABASE}")
        await connection.close()


@contextmanager
def _open_directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="adsvc-") as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


@asynccontextmanager
async def running_cluster() -> AsyncIterator[Cluster]:
    """With an empty database, for the length of a block."""
    with ExitStack() as stack:
        # Not pytest's, which PostgreSQL's user may not enter.
        directory = stack.enter_context(_open_directory())
        keepers = etcd.three(directory)
        members = [Member(number, keepers, directory) for number in range(2)]
        cluster = Cluster(keepers, members)
        for keeper in keepers:
            stack.callback(keeper.end)
            keeper.start()
        for member in members:
            stack.callback(member.end)
            member.start()
        await until(cluster.is_whole, cluster.log)
        await cluster.create_database()
        yield cluster
