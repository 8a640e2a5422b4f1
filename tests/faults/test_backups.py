"""Backups taken under load, restored elsewhere, damaged, and killed while they are made."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy.engine import URL

from faults.conftest import SECRET
from faults.ledger import Ledger, Writers, audit
from faults.scale import measured, times
from faults.served import Service, log_in, register
from faults.test_outbox import connected
from support.scene.api import Person

pytestmark = pytest.mark.drill

RESTIC = shutil.which("restic")
# Writes that were answered before each backup.
ENOUGH = 40


@pytest.fixture
async def elsewhere(unmigrated: str, tmp_path: Path) -> AsyncIterator[Service]:
    """Another machine, with nothing on it."""
    (tmp_path / "elsewhere").mkdir()
    other = Service(
        tmp_path / "elsewhere", database_url=unmigrated, jwt_secret=SECRET, rate_limits="off"
    )
    yield other
    other.end()


async def succeeds(service: Service, *words: str) -> str:
    finished = await service.run(*words)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "Traceback" not in finished.stderr
    return finished.stdout


async def killed(
    service: Service, seconds: float, *words: str, begun: Callable[[], bool] = lambda: True
) -> bool:
    """Whether the command was still at work when it was killed, so long after it had begun."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adsvc", *words),
        env=service.environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(60):
        while not begun() and process.returncode is None:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.005)
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        process.kill()
        await process.wait()
        return True
    return False


async def more_written(ledger: Ledger) -> None:
    wanted = ledger.kept + ENOUGH
    async with asyncio.timeout(60):
        while ledger.kept < wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@dataclass
class Place:
    """A directory of backups, or a repository of restic in it."""

    path: Path
    is_repository: bool

    @property
    def address(self) -> str:
        return f"restic:{self.path}" if self.is_repository else str(self.path)

    @property
    def words(self) -> tuple[str, ...]:
        """The command that makes a backup there."""
        return ("backup", "--to", self.address) if self.is_repository else ("backup", self.address)


@pytest.fixture(
    params=[
        "directory",
        pytest.param(
            "restic",
            marks=pytest.mark.skipif(RESTIC is None, reason="restic is not installed"),
        ),
    ]
)
async def place(
    request: pytest.FixtureRequest, service: Service, elsewhere: Service, tmp_path: Path
) -> Place:
    found = Place(tmp_path / "backups", request.param == "restic")
    if found.is_repository:
        secrets = {"RESTIC_PASSWORD": "a long one", "RESTIC_CACHE_DIR": str(tmp_path / "cache")}
        service.environment |= secrets
        elsewhere.environment |= secrets
        words = (str(RESTIC), "init", "--quiet", "--repo", str(found.path))
        process = await asyncio.create_subprocess_exec(*words, env={**os.environ, **secrets})
        assert await process.wait() == 0
    return found


def generations(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.name[0] == "2")


async def test_row_42_a_backup_under_load_is_whole_and_a_flipped_byte_is_found(
    service: Service, elsewhere: Service, place: Place
) -> None:
    ledger = Ledger()
    writers = Writers(service, ledger)
    await writers.start()
    for _ in range(times(5, short=2)):
        await more_written(ledger)
        await succeeds(service, *place.words)
    await writers.stop()
    made = (await succeeds(service, "backups", place.address)).split()
    measured("row 42: backups under load", len(made), "backups")
    measured("row 42: writes answered meanwhile", ledger.kept, "writes")
    await succeeds(service, "verify", place.address)
    await succeeds(service, *place.words, "--keep", "2")
    under_load, _ = (await succeeds(service, "backups", place.address)).split()
    await succeeds(elsewhere, "restore", f"{place.address}/{under_load}")
    assert await succeeds(elsewhere, "verify") == ""
    # The backup of a moment without writes has all that was promised.
    await succeeds(elsewhere, "restore", place.address, "--replace", "--yes")
    assert await succeeds(elsewhere, "verify") == ""
    await elsewhere.start()
    await audit(elsewhere, ledger)
    await _flip_everywhere(service, place)


async def test_a_restored_log_of_events_goes_on_and_older_cursors_are_void(
    service: Service, elsewhere: Service, database: URL, tmp_path: Path
) -> None:
    async with service.client() as client, connected(database) as connection:
        admin = await register(client)
        await connection.execute("UPDATE users SET role = 'ADMIN'")
        await admin.post_ad()
        before = (await admin.get("/events", params={"type": "ad.created", "wait": 20})).json()
        # After it the place has the log as it is, and what is not yet in it.
        await connection.execute("UPDATE ads SET price = price + 1")
        await succeeds(service, "backup", str(tmp_path / "backups"))
        cursor = {"after": before["next"]}
        assert (await admin.get("/events", params=cursor)).status_code == 200
    await succeeds(elsewhere, "restore", str(tmp_path / "backups"))
    await elsewhere.start()
    async with elsewhere.client() as client:
        there = Person(admin.id, admin.username, "", client)
        there.token = await log_in(there)
        refused = await there.get("/events", params=cursor)
        assert refused.status_code == 410
        assert refused.json()["type"] == "/problems#cursor-expired"
        ad = before["results"][0]["ad"]
        assert (await there.patch(f"/ads/{ad}", json={"price": 4711})).status_code == 200
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {"wait": 20}
        async with asyncio.timeout(60):
            while not found or found[-1]["data"].get("to") != 4711:
                page = (await there.get("/events", params=params)).json()
                found += page["results"]
                params["after"] = page["next"]
    assert [event["id"] for event in found] == [*range(1, len(found) + 1)]
    happened = [event["type"] for event in found]
    assert happened.count("ad.created") == 1
    # One of them before the backup.
    assert happened.count("ad.priceChanged") == 2


def _some_files(place: Place, random: Random) -> list[Path]:
    if place.is_repository:
        packs = sorted(place.path.glob("data/*/*"))
        return random.sample(packs, min(len(packs), times(10, short=2)))
    newest = generations(place.path)[-1]
    pictures = sorted(newest.glob("pictures/*/*"))
    files = [path for path in newest.iterdir() if path.is_file()]
    return [*files, *random.sample(pictures, times(10, short=1))]


async def _flip_everywhere(service: Service, place: Place) -> None:
    random = Random(42)
    for path in _some_files(place, random):
        path.chmod(0o600)
        whole = path.read_bytes()
        damaged = bytearray(whole)
        at = random.randrange(len(damaged))
        damaged[at] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        finished = await service.run("verify", place.address)
        assert finished.returncode == 1, (path, at)
        assert (place.address if place.is_repository else str(path)) in finished.stdout
        path.write_bytes(whole)
    await succeeds(service, "verify", place.address)


async def test_row_42_a_killed_backup_is_none_and_a_killed_restore_can_be_run_again(
    service: Service, elsewhere: Service, place: Place
) -> None:
    ledger, random = Ledger(), Random(43)
    writers = Writers(service, ledger)
    await writers.start()
    await more_written(ledger)
    # It starts within a second, and takes two or three.
    ends = [
        await killed(service, random.uniform(0.8, 3), *place.words)
        for _ in range(times(10, short=2))
    ]
    await writers.stop()
    assert True in ends
    for name in (await succeeds(service, "backups", place.address)).split():
        await succeeds(service, "verify", f"{place.address}/{name}")
    await succeeds(service, *place.words, "--keep", "1")
    assert not list(place.path.glob(".*.partial"))
    await succeeds(service, "verify", place.address)
    # The first one as soon as it has begun, so that one at least is interrupted.
    moments = [0.0, *(random.uniform(0.1, 3) for _ in range(times(9, short=1)))]
    interrupted = 0
    for moment in moments:
        await killed(
            elsewhere, moment, "restore", place.address, begun=lambda: _is_marked(elsewhere)
        )
        if _is_marked(elsewhere):
            interrupted += 1
            refusal = await elsewhere.run("serve", "--port", "0")
            assert refusal.returncode == 1
            assert "restore of" in refusal.stderr
    assert interrupted
    await succeeds(elsewhere, "restore", place.address, "--replace", "--yes")
    assert await succeeds(elsewhere, "verify") == ""
    await elsewhere.start()
    await audit(elsewhere, ledger)


def _is_marked(service: Service) -> bool:
    """Whether a restore has begun and not ended."""
    marker = service.image_dir / ".installation"
    return marker.exists() and marker.read_text().startswith("restore")
