"""`/metrics`, as a Prometheus beside the service reads it."""

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest
from pydantic import SecretStr
from sqlalchemy import func, select
from sqlalchemy.engine import URL, make_url

from adsvc import migrations
from adsvc.kit.http.protocol import BAD_REQUEST, HEADERS_TOO_LARGE, TIMED_OUT
from adsvc.kit.storage.protocol import OPERATIONS
from adsvc.main import create_app
from adsvc.metrics import METRICS
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation.jobs import BACKUP, PICTURE_CHECK, TEST_ALERT
from adsvc.repositories.operation.server import FIGURES
from adsvc.services import events, readiness
from adsvc.settings import Jobs, Settings
from conftest import DatabaseFactory
from support.pictures import samples
from support.running.in_process import running
from support.running.metrics import Listener, Scrape, metrics_listener
from support.running.processes import free_port
from support.scene.api import Api, image_form
from support.scene.streams import streaming
from support.scene.warmth import WAIT_SECONDS, settle, warmed
from support.trouble.blocking import busy


@dataclass(frozen=True)
class Seen:
    """A service, and the listener that exports its metrics."""

    api: Api
    listener: Listener

    async def scrape(self) -> Scrape:
        return await self.listener.scrape()

    async def until(self, name: str, value: float, **labels: str) -> Scrape:
        """The first scrape that says so: two in a quarter of a second are one."""
        for _ in range(200):
            scrape = await self.scrape()
            if scrape.value(name, **labels) == value:
                return scrape
        raise AssertionError(scrape.text)


SeenFactory = Callable[..., AbstractAsyncContextManager[Seen]]


@pytest.fixture
def start_seen(settings: Settings, database_url: URL) -> SeenFactory:
    @asynccontextmanager
    async def start(*, database: URL = database_url, **changes: object) -> AsyncIterator[Seen]:
        with metrics_listener(database) as listener:
            app = create_app(
                Settings(**{**dict(settings), "jobs": Jobs.ON, **changes}), listener.directory
            )
            async with running(app) as client:
                yield Seen(Api(client, app), listener)

    return start


@pytest.fixture
async def seen(start_seen: SeenFactory) -> AsyncIterator[Seen]:
    async with start_seen() as started:
        yield started


@pytest.mark.heavy
async def test_requests_are_counted_by_template_wherever_they_are_answered(seen: Seen) -> None:
    # To its author an ad is not answered from memory alone.
    reader, author = await seen.api.person(), await seen.api.person()
    ad = await author.post_ad()
    for path in ("/ads", f"/ads/{ad['pk']}", ad["image"]):
        await warmed(seen.api, path, reader.headers)
    for number in range(3):
        await seen.api.client.get(f"/secret-{number}")
        await seen.api.client.get(f"/ads/{ad['pk']}x{number}")
    scrape = await seen.until("adsvc_http_requests_total", 3, route="unmatched", status="404")
    requests = "adsvc_http_requests_total"
    assert scrape.value(requests, route="/ads", method="POST", status="201") == 1
    for route in ("/ads", "/ads/{id}", "/images/{name}"):
        found = scrape.value(requests, route=route, method="GET", status="200")
        assert found >= 2, route
        durations = "adsvc_http_request_duration_seconds"
        timed = scrape.value(f"{durations}_count", route=route, method="GET")
        assert timed == scrape.value(requests, route=route, method="GET")
        assert scrape.value(f"{durations}_bucket", route=route, method="GET", le="+Inf") == timed
        assert 0 < scrape.value(f"{durations}_sum", route=route, method="GET") < 60
    for cache in ("listings", "ads", "pictures", "callers"):
        assert scrape.value("adsvc_cache_hits_total", cache=cache) >= 1, cache
        assert scrape.value("adsvc_cache_misses_total", cache=cache) >= 1, cache
    # The pages may have been forgotten meanwhile: everybody hears of a change twice.
    assert scrape.value("adsvc_cache_bytes", cache="pictures") > 0
    assert scrape.value("adsvc_cache_generations_total", kind="ad") >= 1
    assert 0 < scrape.value("adsvc_listener_confirmation_age_seconds") < 60


@pytest.mark.heavy
async def test_a_scrape_contains_no_words_names_or_ids_of_users(seen: Seen) -> None:
    person = await seen.api.person("secretly@example.com", firstName="Secretfirst")
    ad = await person.post_ad(title="Secret title", description="Secret words here.")
    await person.get(f"/ads/{ad['pk']}", params={"secret": "secret"})
    await person.get("/ads?q=secret", headers={"User-Agent": "secret"})
    await seen.api.client.request("SEARCH", "/secret")
    scrape = await seen.until("adsvc_http_requests_total", 1, method="OTHER")
    assert "secret" not in scrape.text.lower()
    database = make_url(seen.api.state.settings.required_database_url())
    for word in (ad["image"], str(database.database), str(seen.api.state.settings.data_dir)):
        assert word not in scrape.text
    assert scrape.labels("adsvc_http_requests_total", "method") <= {"GET", "POST", "OTHER"}


@pytest.mark.heavy
async def test_pictures_are_timed_step_by_step_and_failures_counted(seen: Seen) -> None:
    person = await seen.api.person()
    # Other tests in this process had pictures too.
    before = await seen.scrape()
    await person.post_ad()
    assert (await person.post("/ads/1/images", files=image_form(b"<svg/>"))).status_code == 415
    broken = image_form(samples.jpeg()[:-500])
    assert (await person.patch("/users/me/image", files=broken)).status_code == 400
    counted, failed = "adsvc_picture_seconds_count", "adsvc_picture_failures_total"
    invalid = before.value(failed, reason="invalid")
    scrape = await seen.until(failed, invalid + 1, reason="invalid")
    unsupported = scrape.value(failed, reason="unsupported")
    assert unsupported == before.value(failed, reason="unsupported") + 1
    for step in ("decode", "encode", "store"):
        assert scrape.value(counted, step=step) == before.value(counted, step=step) + 1, step
    for step in ("wait", "process"):
        assert scrape.value(counted, step=step) == 3, step


@pytest.mark.heavy
async def test_shed_requests_are_counted_by_the_full_pool(seen: Seen) -> None:
    state = seen.api.state
    with busy(state.searches):
        assert (await seen.api.client.get("/ads?q=oak")).status_code == 503
        scrape = await seen.until("adsvc_bulkhead_running", state.settings.search_workers)
    assert scrape.value("adsvc_http_shed_total") == 1
    assert scrape.value("adsvc_http_shed_total", reason="searches") == 1
    waiting = scrape.value("adsvc_bulkhead_waiting", bulkhead="searches")
    assert waiting == state.settings.search_queue
    assert scrape.value("adsvc_bulkhead_refused_total", bulkhead="relaxations") == 0
    assert scrape.value("adsvc_http_busy_requests_limit") == state.settings.busy_requests


@pytest.mark.heavy
async def test_the_database_has_metrics_of_its_own(seen: Seen) -> None:
    webhook = {"url": "https://shop.example.com/hooks", "types": ["ad.sold"]}
    admin = await seen.api.admin()
    assert (await admin.post("/webhooks", json=webhook)).status_code == 201
    age = select(func.extract("epoch", func.clock_timestamp() - func.now()))
    async with seen.api.state.database.lasting_transaction() as session:
        before = float(await session.scalar(age) or 0)
        scrape = await seen.scrape()
        after = float(await session.scalar(age) or 0)
    # Another transaction may be older.
    assert scrape.value("adsvc_database_oldest_transaction_seconds") >= before
    assert abs(scrape.value("adsvc_clock_skew_seconds")) <= max(1, after)
    assert scrape.value("adsvc_database_autovacuum") in {0, 1}
    assert scrape.value("adsvc_database_up") == 1
    assert scrape.value("adsvc_database_sessions") >= 1
    assert scrape.value("adsvc_database_sessions_limit") > 1
    # Each of them could be scraped.
    assert {figure.name for figure in FIGURES} <= scrape.names
    assert scrape.value("adsvc_picture_deletions_queued") == 0
    assert scrape.labels("adsvc_database_pool_size", "pool") == {
        *("reads", "searches", "writes", "sessions", "lasting"),
    }
    assert scrape.value("adsvc_database_pool_size") > 0


@pytest.mark.heavy
async def test_without_its_database_a_scrape_is_answered_all_the_same(
    start_seen: SeenFactory,
) -> None:
    nowhere = make_url(f"postgresql+asyncpg://anna@127.0.0.1:{free_port()}/nothing")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        frozen = nowhere.set(port=silent.getsockname()[1])
        for database in (nowhere, frozen):
            async with start_seen(database=database) as seen:
                await seen.api.client.get("/ads")
                scrape = await seen.until("adsvc_http_requests_total", 1, route="/ads")
                assert "adsvc_database_up" in scrape.names
                assert scrape.value("adsvc_database_up") == 0
                assert scrape.value("adsvc_processes") == 1


@pytest.mark.heavy
async def test_there_is_nothing_else_at_the_listener_and_nothing_at_the_service(
    seen: Seen,
) -> None:
    assert (await seen.api.client.get("/metrics")).status_code == 404
    async with httpx2.AsyncClient(base_url=seen.listener.url) as client:
        for path in ("/", "/ads", "/metrics/", "/metrics/x", "/%6detrics%00"):
            assert (await client.get(path)).status_code == 404, path
        for method in ("POST", "DELETE", "OPTIONS"):
            refused = await client.request(method, "/metrics")
            assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD"), method
        assert (await client.head("/metrics")).content == b""


@pytest.mark.heavy
async def test_who_only_connects_keeps_no_scrape_away(seen: Seen) -> None:
    port = httpx2.URL(seen.listener.url).port
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    try:
        for peer in idle:
            peer.sendall(b"GET /metrics HTTP/1.1\r\n")
        assert (await seen.scrape()).value("adsvc_processes") == 1
    finally:
        for peer in idle:
            peer.close()


@pytest.mark.heavy
async def test_counters_begin_at_zero_for_each_of_their_labels(seen: Seen) -> None:
    await seen.api.client.get("/ads")
    scrape = await seen.until("adsvc_http_requests_total", 1, route="/ads", status="200")
    expected = {
        ("adsvc_http_requests_total", "status"): {"200", "500", "503"},
        ("adsvc_http_shed_total", "reason"): {"busy", "passwords", "pictures", "searches"},
        ("adsvc_http_protocol_refusals_total", "status"): {
            str(problem.status) for problem in (BAD_REQUEST, TIMED_OUT, HEADERS_TOO_LARGE)
        },
        ("adsvc_picture_failures_total", "reason"): {"invalid", "unsupported", "failed"},
        ("adsvc_image_store_errors_total", "operation"): set(OPERATIONS),
        ("adsvc_outbox_died_total", "kind"): {"letter", "verification", "recovery"},
        ("adsvc_retention_failures_total", "kind"): {"conversations", "notifications"},
        ("adsvc_job_failures_total", "name"): {
            *("expiries", "suspensions", "picture-deletions", "search-keys", "cleaning"),
            *("category-words", "search-phrases", "answer-figures", "message-mails", "places"),
        },
    }
    for (name, label), values in expected.items():
        assert scrape.labels(name, label) >= values, name
    # No counter with labels is without a series.
    counters = {
        metric.name
        for metric in METRICS.values()
        if metric.type == "counter" and metric.labels and "replica" not in metric.name
    }
    assert counters <= scrape.names


@pytest.mark.heavy
async def test_faults_show_in_metrics_without_a_readiness_request(
    start_seen: SeenFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "WATCH_SECONDS", 0.05)
    monkeypatch.setattr(readiness, "KNOWN_SECONDS", 0.05)
    async with start_seen() as seen:
        scrape = await seen.until("adsvc_ready", 1, part="pictures")
        for part in ("reads", "writes", "text"):
            assert scrape.value("adsvc_ready", part=part) == 1, part
        assert scrape.value("adsvc_image_store_up") == 1
        assert scrape.value("adsvc_disk_free_bytes", directory="image store") > 0
        assert "adsvc_disk_reserve_bytes" in scrape.names
        images = seen.api.state.settings.image_dir
        for shard in images.iterdir():
            if shard.is_dir():
                shutil.rmtree(shard)
        scrape = await seen.until("adsvc_ready", 0, part="pictures")
        assert scrape.value("adsvc_ready", part="reads") == 1
        scrape = await seen.until("adsvc_image_store_up", 0)
        assert scrape.value("adsvc_image_store_errors_total", operation="write") >= 1


@pytest.mark.heavy
async def test_the_sequencer_and_its_batches_are_reported(
    start_seen: SeenFactory, new_database: DatabaseFactory
) -> None:
    # No other application on this database may be its sequencer.
    async with new_database() as url:
        address = SecretStr(url.render_as_string(hide_password=False))
        async with start_seen(database=url, database_url=address) as seen:
            await (await seen.api.person()).post_ad()
            scrape = await seen.scrape()
            async with asyncio.timeout(WAIT_SECONDS):
                while not (
                    scrape.value("adsvc_event_log_batch_changes_sum")
                    # Figures of the database are reused for some seconds.
                    and scrape.value("adsvc_event_log_sequencers")
                ):
                    await asyncio.sleep(0.1)
                    scrape = await seen.scrape()
            assert scrape.value("adsvc_sequencer") == 1
            assert scrape.value("adsvc_sequencer_elections_total") == 1
            batches = scrape.value("adsvc_event_log_batch_changes_count")
            assert batches == scrape.value("adsvc_event_log_batch_seconds_count") >= 1


@pytest.mark.heavy
async def test_schema_standbys_and_backups_are_reported(seen: Seen) -> None:
    scrape = await seen.until("adsvc_schema_current", 1)
    assert scrape.labels("adsvc_schema_info", "revision") == {migrations.head()}
    assert scrape.value("adsvc_synchronous_standbys_required") == 0
    assert "adsvc_synchronous_standbys" in scrape.names
    # Before the first backup.
    assert scrape.value("adsvc_backup_success_age_seconds") == float("inf")
    async with seen.api.state.database.transaction() as transaction:
        await job_rows.record(transaction, BACKUP, seconds=5, succeeded=True)
        await job_rows.record(transaction, PICTURE_CHECK, seconds=5, succeeded=False)
        await job_rows.record(transaction, TEST_ALERT, seconds=0, succeeded=True)
    with metrics_listener(seen.api.state.database.engine.url) as again:
        scrape = await again.scrape()
    assert 0 <= scrape.value("adsvc_backup_success_age_seconds") < 60
    assert scrape.value("adsvc_pictures_damaged") == 1
    assert scrape.value("adsvc_test_alert") == 1


@pytest.mark.heavy
async def test_only_steps_that_follow_the_log_have_a_lag(seen: Seen) -> None:
    scrape = await seen.until("adsvc_schema_current", 1)
    followers = scrape.labels("adsvc_consumer_lag_events", "name")
    assert "favorites" in followers
    assert not {name for name in followers if "endings" in name}


@pytest.mark.heavy
async def test_connections_are_named_after_their_node_and_pool(start_seen: SeenFactory) -> None:
    async with start_seen(node_name="n" * 80) as seen:
        api, person = seen.api, await seen.api.person()
        await api.client.get("/ads", params={"q": "oak"})
        await person.get("/users/me/sessions")
        await person.patch("/ads/1", json={"price": 1})
        await seen.until("adsvc_ready", 1, part="reads")
        names = set(
            await api.sql(
                "SELECT application_name FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name LIKE '%/nnn%'"
            )
        )
    assert {name.rpartition("/")[2] for name in names} >= {
        *("reads", "searches", "writes", "sessions", "readiness", "listener")
    }
    assert {name.partition("/")[0] for name in names} == {"adsvc"}
    assert max(map(len, names)) == 63


@pytest.mark.heavy
async def test_streams_are_counted_by_kind(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """And those whose client was too slow, not those whose client has left."""
    monkeypatch.setattr(events, "RECENT_EVENTS", 2)
    admin = await seen.api.admin()
    ad = await admin.post_ad()
    await settle(seen.api)
    path = "/users/me/stream"
    async with streaming(seen.api, admin) as slow, streaming(seen.api, admin, path=path) as mine:
        await mine.until(lambda it: it.events)
        await seen.until("adsvc_streams", 1, kind="events")
        scrape = await seen.until("adsvc_streams", 1, kind="account")
        assert scrape.value("adsvc_streams_limit") > 100
        assert scrape.value("adsvc_streams_dropped_total") == 0
        slow.taken.clear()
        for price in range(7):
            await admin.patch(f"/ads/{ad['pk']}", json={"price": price})
            await settle(seen.api)
        slow.taken.set()
        await slow.until(lambda it: it.ended)
    await seen.until("adsvc_streams", 0, kind="account")
    scrape = await seen.until("adsvc_streams_dropped_total", 1, kind="events")
    assert scrape.value("adsvc_streams_dropped_total", kind="account") == 0
