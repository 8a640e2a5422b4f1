"""`adsvc worker` works beside services with ADSVC_JOBS=off, and ends on a signal."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from adsvc.services.mail.rendering import Letter, to_former_address
from adsvc.settings import Settings, load_settings
from conftest import ApiFactory, Environment
from support.mail.received import sent, unique
from support.mail.server import HOST, Mailbox, receiving
from support.running.commands import adsvc
from support.running.metrics import Scrape
from support.running.processes import serving
from support.scene.api import PASSWORD, Api

pytestmark = pytest.mark.heavy

WAIT_SECONDS = 30


async def write(api: Api, user_id: int, address: str) -> None:
    entry = to_former_address(Letter.ADDRESS_CHANGED, user_id, address)
    await api.sql(
        "INSERT INTO outbox (kind, payload) VALUES (:kind, CAST(:payload AS jsonb))",
        kind=entry.kind, payload=entry.payload_json,
    )  # fmt: skip


@dataclass(frozen=True)
class Worker:
    process: asyncio.subprocess.Process
    log_path: Path

    async def until_told(self, pattern: str) -> str:
        """Waits for that in its log."""
        async with asyncio.timeout(WAIT_SECONDS):
            while not (found := re.search(pattern, self.log_path.read_text())):  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.01)
        return found[1] if found.groups() else found[0]

    async def scrape(self) -> Scrape:
        url = await self.until_told(r"Serving metrics on (\S+)")
        async with httpx2.AsyncClient() as client, asyncio.timeout(WAIT_SECONDS):
            while True:
                try:
                    return Scrape((await client.get(f"{url}/metrics")).text)
                except httpx2.ConnectError:
                    # The log has the address a moment before its port listens.
                    await asyncio.sleep(0.01)

    async def until_counted(self, name: str, /, **labels: str) -> Scrape:
        async with asyncio.timeout(WAIT_SECONDS):
            while not (found := await self.scrape()).value(name, **labels):  # noqa: ASYNC110 - the same
                await asyncio.sleep(0.05)
        return found


@asynccontextmanager
async def working(settings: Settings, **variables: str) -> AsyncIterator[Worker]:
    """`adsvc worker` with these settings, stopped at the end of the block."""
    environment = {**os.environ, **settings.to_environment(), **variables}
    log_path = settings.data_dir.with_name("worker.log")
    with log_path.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "adsvc", "worker"), env=environment, stderr=output
        )
    worker = Worker(process, log_path)
    try:
        yield worker
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(WAIT_SECONDS):
            assert await process.wait() == 0, log_path.read_text()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def sending_to(mailbox: Mailbox) -> dict[str, str]:
    return {
        "ADSVC_SMTP_URL": f"smtp://{HOST}:{mailbox.port}?tls=off",
        "ADSVC_MAIL_FROM": "noreply@ads.example.com",
        "ADSVC_SITE_URL": "https://ads.example.com",
    }


async def test_a_worker_sends_what_a_service_without_jobs_leaves(
    start_own_api: ApiFactory,
) -> None:
    async with start_own_api(jobs="off") as api:
        person, address = await api.person(), unique()
        await write(api, person.id, address)
        assert await api.sql("SELECT attempts FROM outbox") == [0]
        async with working(api.state.settings) as worker:
            assert len(await sent(api, address, elsewhere=True)) == 1
    assert await worker.until_told("The worker has stopped.")


async def test_a_worker_exports_metrics(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="off") as api, receiving() as mailbox:
        person = await api.person()
        mailbox.refuses_recipient = "450 busy"
        await write(api, person.id, unique())
        async with working(
            api.state.settings, ADSVC_METRICS_PORT="0", **sending_to(mailbox)
        ) as worker:
            await worker.until_counted("adsvc_outbox_failed_total", kind="letter")
            # The figures of its database are read only every few seconds.
            await worker.until_counted("adsvc_outbox_pending")
            mailbox.refuses_recipient = None
            await write(api, person.id, unique())
            await worker.until_counted("adsvc_outbox_delivered_total", kind="letter")
            await worker.until_counted("adsvc_job_runs_total", name="picture-deletions")
            told = await worker.scrape()
            assert told.value("adsvc_processes") == told.value("adsvc_database_up") == 1
            assert told.value("adsvc_process_resident_memory_bytes") > 0
            assert told.value("adsvc_database_pool_size", pool="writes") > 0
            assert told.value("adsvc_outbox_failed_total", kind="letter") == 1
            assert "adsvc_http_requests_total" not in told.names


async def test_a_worker_that_is_to_end_ends_what_it_has_begun(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="off") as api, receiving() as mailbox:
        person = await api.person()
        mailbox.answers.clear()
        async with working(api.state.settings, **sending_to(mailbox)) as worker:
            await worker.until_told("The worker has started.")
            await write(api, person.id, unique())
            async with asyncio.timeout(WAIT_SECONDS):
                await mailbox.arrived.wait()
            worker.process.send_signal(signal.SIGTERM)
            await worker.until_told(r"Waiting for 1 entries")
            await write(api, person.id, unique())
            mailbox.answers.set()
        assert len(mailbox.messages) == 1
        # What came later is for another worker.
        assert await api.sql("SELECT attempts FROM outbox") == [0]


def beside(environment: Environment) -> Settings:
    """The settings of a service without jobs, as the environment gives them."""
    given = {name.removeprefix("ADSVC_").lower(): text for name, text in environment.items()}
    return load_settings(**given, jobs="off")


@pytest.mark.long
async def test_a_worker_sends_mails_beside_the_embedded_database(
    embedded_environment: Environment,
) -> None:
    """It is given no secret and no address of a database, as the service is not."""
    settings = beside(embedded_environment)
    name = "anna@example.com"
    with serving(settings) as server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=WAIT_SECONDS) as client:
            record = {"username": name, "password": PASSWORD}
            assert (await client.post("/register", json=record)).status_code == 201
            forgot = await client.post("/password/forgot", json={"username": name})
            assert forgot.status_code == 202, forgot.text
        async with working(settings), asyncio.timeout(WAIT_SECONDS):
            while not [*settings.mail_dir.glob("*.eml")]:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.01)


@pytest.mark.long
def test_a_worker_without_the_secret_of_the_embedded_database_says_what_is_missing(
    embedded_environment: Environment,
) -> None:
    """The service was given one by ADSVC_JWT_SECRET, and the worker was not."""
    secret = {"ADSVC_JWT_SECRET": "0123456789abcdefghijklmnopqrstuvwxyz"}
    assert adsvc("migrate", environment={**embedded_environment, **secret}).returncode == 0
    ended = adsvc("worker", environment=embedded_environment)
    assert ended.returncode == 1
    assert "ADSVC_JWT_SECRET is not set" in ended.stderr
    assert f"{embedded_environment['ADSVC_DATA_DIR']}/jwt_secret" in ended.stderr
    assert "database of your own" not in ended.stderr
    assert not (beside(embedded_environment).data_dir / "jwt_secret").exists()
