"""Served processes: how they start, refuse to start, and end."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.settings import Settings, load_settings
from conftest import Environment
from support.running.commands import adsvc, done, not_served, refused
from support.running.embedded import eventually
from support.running.processes import Server, free_port, serving
from support.s3.light import LightS3, Object, Trouble
from support.s3.server import BUCKET, S3Server
from support.scene.api import PASSWORD, ad_form, image_form

pytestmark = pytest.mark.heavy

SECONDS = 30


def settings_of(environment: Environment, **changes: object) -> Settings:
    given = {name.removeprefix("ADSVC_").lower(): text for name, text in environment.items()}
    return load_settings(**{**given, **changes})


@contextmanager
def served(environment: Environment, **changes: object) -> Iterator[Server]:
    with serving(settings_of(environment, **changes)) as server:
        yield server


@contextmanager
def member(server: Server, name: str = "anna") -> Iterator[httpx2.Client]:
    """Somebody with an account, new or not, and a token of theirs."""
    record = {"username": name, "password": PASSWORD}
    with httpx2.Client(base_url=server.url, timeout=SECONDS) as client:
        assert client.post("/register", json=record).status_code in {201, 409}
        token = client.post("/login", json=record).json()["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


@contextmanager
def worker(environment: Environment, **changes: object) -> Iterator[subprocess.Popen[bytes]]:
    variables = settings_of(environment, **changes).to_environment()
    with subprocess.Popen(
        [sys.executable, "-m", "adsvc", "worker"], env={**os.environ, **variables}
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_in_order(environment: Environment, number: int) -> None:
    with served(environment) as server:
        server.process.send_signal(number)
        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log


def test_a_request_under_way_is_answered_before_the_end(environment: Environment) -> None:
    with served(environment) as server, member(server) as client:
        request = client.build_request("POST", "/ads", files=ad_form())
        request.headers["Expect"] = "100-continue"
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        with socket.create_connection((request.url.host, request.url.port), SECONDS) as peer:
            peer.sendall(f"POST /ads HTTP/1.1\r\n{head}\r\n".encode())
            answer = peer.makefile("rb")
            # The service has the request and wants to read on.
            assert answer.readline() == b"HTTP/1.1 100 Continue\r\n"
            server.process.send_signal(signal.SIGTERM)
            peer.sendall(request.read())
            answer.readline()
            assert answer.readline().startswith(b"HTTP/1.1 201")
        assert server.process.wait(SECONDS) == 0


@pytest.mark.long
@pytest.mark.parametrize(("workers", "unready_seconds"), [(1, 0), (2, 600)])
def test_streams_end_as_soon_as_the_service_is_to_end(
    environment: Environment, workers: int, unready_seconds: int
) -> None:
    """In order, and not only when the time for other requests is over."""
    changes = {"workers": workers, "unready_seconds": unready_seconds}
    with served(environment, **changes) as server, member(server) as client, ExitStack() as stack:
        opened = [
            stack.enter_context(client.stream("GET", "/users/me/stream")).iter_lines()
            for _ in range(4)
        ]
        for lines in opened:
            assert "event: unread" in (next(lines) for _ in range(6))
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        for lines in opened:
            # A connection that is cut would be an error.
            list(lines)
        assert time.monotonic() - began < 5
        if unready_seconds:
            assert server.process.poll() is None
            server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log


def until_unready(client: httpx2.Client) -> httpx2.Response:
    deadline = time.monotonic() + SECONDS
    while (answer := client.get("/readyz")).status_code == 200:
        assert time.monotonic() < deadline
    return answer


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_service_that_is_to_end_says_so_and_goes_on_until_the_next_signal(
    environment: Environment, workers: int
) -> None:
    changes = {"workers": workers, "unready_seconds": 600}
    with served(environment, **changes) as server, member(server) as client:
        assert "connection" not in client.get("/ads").headers
        server.process.send_signal(signal.SIGTERM)
        assert until_unready(client).json()["detail"] == "This process is about to end."
        for answer, status in (
            (client.get("/ads"), 200),
            (client.get("/ads"), 200),
            (client.get("/ads/me"), 200),
            (client.get("/livez"), 200),
            (client.get("/ads/7"), 404),
            (client.post("/ads", files=ad_form()), 201),
        ):
            assert answer.status_code == status, answer.url
            # So that a proxy keeps none.
            assert answer.headers["connection"] == "close", answer.url
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_service_that_is_to_end_ends_when_its_time_is_over(
    environment: Environment, workers: int
) -> None:
    with served(environment, workers=workers, unready_seconds=0.5) as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log


def until_closed(address: tuple[str, int]) -> None:
    """A connection that is not accepted waits; one that is refused shows that no one listens."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(address, 0.05).close()
        except TimeoutError:
            continue
        except ConnectionRefusedError:
            return
    raise AssertionError


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_connection_made_before_the_port_closes_can_still_ask(
    environment: Environment, workers: int
) -> None:
    with served(environment, workers=workers, unready_seconds=0.2) as server:
        address = ("127.0.0.1", httpx2.URL(server.url).port or 0)
        with socket.create_connection(address, SECONDS) as peer:
            server.process.send_signal(signal.SIGTERM)
            until_closed(address)
            peer.sendall(b"GET /ads HTTP/1.1\r\nHost: adsvc\r\n\r\n")
            assert peer.recv(12) == b"HTTP/1.1 200"
        assert server.process.wait(SECONDS) == 0


def test_what_was_answered_is_there_after_the_server_was_killed(
    environment: Environment,
) -> None:
    with served(environment) as server, member(server) as client:
        ad = client.post("/ads", files=ad_form()).json()
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(SECONDS)
    with served(environment) as server, member(server) as client:
        assert client.get("/ads").json()["results"] == [ad]
        assert client.get(ad["image"]).status_code == 200


@pytest.mark.long
def test_several_workers_serve_one_service(environment: Environment) -> None:
    with served(environment, workers=2) as server, member(server) as client:
        for number in range(1, 6):
            assert client.post("/ads", files=ad_form()).status_code == 201
            # Each on a connection, and so perhaps with a worker, of its own. One that has not made
            # the change hears of it some milliseconds later.
            deadline = time.monotonic() + SECONDS
            while httpx2.get(f"{server.url}/ads").json()["count"] != number:
                assert time.monotonic() < deadline
        cursor = httpx2.get(f"{server.url}/ads?limit=1").json()["next"]
        pages = [httpx2.get(f"{server.url}/ads", params={"cursor": cursor}) for _ in range(10)]
        assert {page.status_code for page in pages} == {200}
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0


@pytest.mark.long
def test_a_client_that_disconnects_under_load_is_no_error(environment: Environment) -> None:
    with served(environment) as server:
        address = ("127.0.0.1", httpx2.URL(server.url).port)
        for round_ in range(20):
            paths = [f"/ads?minPrice={round_ * 100 + number}" for number in range(60)]
            requests = [f"GET {path} HTTP/1.1\r\nHost: adsvc\r\n\r\n" for path in paths]
            with socket.create_connection(address, SECONDS) as peer:
                peer.sendall("".join(requests).encode())
        assert httpx2.get(f"{server.url}/livez").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_two_colons_are_all_addresses_of_both_families(
    environment: Environment, workers: int
) -> None:
    audited = {"rate_limits": "on", "login_attempts": 1, "trusted_proxies": "::ffff:127.0.0.2"}
    wrong = {"username": "nobody", "password": PASSWORD}
    with served(environment, host="::", workers=workers, log_format="json", **audited) as server:
        port = httpx2.URL(server.url).port
        for address in ("[::1]", "127.0.0.1"):
            assert httpx2.get(f"http://{address}:{port}/livez").status_code == 200
            assert httpx2.post(f"http://{address}:{port}/login", json=wrong).status_code == 401
        proxy = httpx2.HTTPTransport(local_address="127.0.0.2")
        with httpx2.Client(transport=proxy, base_url=server.url) as client:
            # The same client as before, in its other clothes: 429.
            for said, status in (("192.0.2.7", 401), ("::ffff:127.0.0.1", 429)):
                chain = {"X-Forwarded-For": f"{said}, ::ffff:127.0.0.2"}
                assert client.post("/login", json=wrong, headers=chain).status_code == status
    told = [json.loads(line) for line in server.log.splitlines() if "adsvc.audit" in line]
    failed = [line["address"] for line in told if line["event"] == "login_failed"]
    assert failed == ["::1", "127.0.0.1", "192.0.2.7"]


def test_an_anonymous_upload_is_refused_while_it_comes(environment: Environment) -> None:
    with served(environment) as server:
        body = image_form(bytes(9 * 1024 * 1024))
        answer = httpx2.post(f"{server.url}/ads", files=body, timeout=SECONDS)
        assert answer.status_code == 401
        assert answer.headers["X-Request-Id"] in answer.json()["instance"]


@pytest.mark.long
def test_a_port_that_is_taken_is_an_error(environment: Environment) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        for workers in ("1", "2"):
            told = not_served("--port", port, "--workers", workers, environment=environment)
            assert "address already in use" in told.lower()


SAMPLE = "please-change-me-0123456789-abcdefgh"


@pytest.mark.parametrize(
    ("secret", "told"), [(None, "is not set"), ("short", "32 bytes"), (SAMPLE, "sample")]
)
def test_a_service_without_a_good_secret_does_not_start(
    environment: Environment, secret: str | None, told: str
) -> None:
    changed = {**environment, "ADSVC_JWT_SECRET": secret or "", "ADSVC_PORT": str(free_port())}
    said = not_served(environment=changed)
    assert "ADSVC_JWT_SECRET" in said
    assert told in said
    assert not secret or secret not in said
    # It gave up before it opened anything.
    assert "Serving on" not in said
    assert not Path(environment["ADSVC_DATA_DIR"]).exists()


@pytest.mark.long
def test_a_node_with_a_secret_of_its_own_does_not_start(environment: Environment) -> None:
    with served(environment):
        pass
    other = {**environment, "ADSVC_JWT_SECRET": "another secret 0123456789 abcdefghijklmnop"}
    assert "not the secret of this installation" in not_served(
        "--port", str(free_port()), environment=other
    )
    assert "not the secret of this installation" in adsvc("worker", environment=other).stderr
    both = {**other, "ADSVC_JWT_SECRET_PREVIOUS": environment["ADSVC_JWT_SECRET"]}
    rotated = done("secrets", "rotate", "--dry-run", environment=both)
    assert rotated == "To be encrypted anew: none.\n"
    with served(both):
        pass
    assert done("secrets", "rotate", environment=both) == "Encrypted anew: none.\n"
    with served(other):
        pass


@pytest.mark.long
def test_a_service_does_not_start_on_a_schema_of_another_version(
    bare_environment: Environment,
) -> None:
    said = not_served("--port", str(free_port()), environment=bare_environment)
    assert "Run: adsvc migrate" in said
    assert "Serving on" not in said
    done("migrate", environment=bare_environment)
    with served(bare_environment) as server:
        assert httpx2.get(f"{server.url}/readyz").status_code == 200


async def test_an_older_version_asks_to_be_updated_and_not_to_migrate(
    environment: Environment,
) -> None:
    """Not to migrate, which it cannot."""
    engine = create_async_engine(environment["ADSVC_DATABASE_URL"], isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        await connection.execute(text("UPDATE installation SET oldest_head = '9999'"))
    await engine.dispose()
    told = refused("users", "list", environment=environment)
    assert "A newer version made it: install that one here too." in told
    assert "adsvc migrate" not in told


@pytest.mark.long
def test_nodes_and_workers_start_while_the_bucket_is_away(
    environment: Environment, s3: tuple[S3Server, LightS3], prefix: str
) -> None:
    server, bucket = s3
    bucket.trouble = Trouble.BROKEN
    changes = {**server.settings(prefix), "s3_timeout_seconds": 1, "jobs": "off"}
    with (
        served(environment, **changes) as node,
        member(node) as client,
        worker(environment, **changes) as beside,
    ):
        assert client.get("/ads").status_code == 200
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["degraded"]) == (200, ["pictures"])
        refused_picture = client.post("/ads", files=ad_form())
        assert refused_picture.status_code == 503
        assert refused_picture.json()["type"] == "/problems#image-store-unavailable"
        # A command that needs no picture.
        done("users", "promote", "anna", environment={**environment, **server.environment(prefix)})
        assert beside.poll() is None
        bucket.trouble = None
        eventually(lambda: client.get("/readyz?require=pictures").status_code == 200)
        assert client.post("/ads", files=ad_form()).status_code == 201
        assert f"{prefix}/.installation" in bucket.buckets[BUCKET]


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_node_ends_when_the_bucket_turns_out_to_be_another_installations(
    environment: Environment, s3: tuple[S3Server, LightS3], prefix: str, workers: int
) -> None:
    server, bucket = s3
    owner = b"00000000-0000-0000-0000-000000000000"
    bucket.buckets[BUCKET][f"{prefix}/.installation"] = Object(owner, {}, datetime.now(UTC))
    bucket.trouble = Trouble.BROKEN
    changes = {**server.settings(prefix), "s3_timeout_seconds": 1, "workers": workers}
    with served(environment, **changes) as node, member(node) as client:
        assert client.get("/ads").status_code == 200
        bucket.trouble = None
        node.process.wait(SECONDS)
        assert "belongs to 00000000-0000-0000-0000-000000000000" in node.log
        assert "adsvc adopt" in node.log
        assert "Traceback" not in node.log
    # It stored nothing there.
    assert list(bucket.buckets[BUCKET]) == [f"{prefix}/.installation"]


def test_options_outrank_the_environment(environment: Environment) -> None:
    misused = adsvc("serve", "--port", "70000", environment={**environment, "ADSVC_PORT": "1"})
    assert misused.returncode == 1
    assert "ADSVC_PORT" in misused.stderr


def test_an_embedded_service_needs_nothing_and_forgets_nothing(
    embedded_environment: Environment,
) -> None:
    data = Path(embedded_environment["ADSVC_DATA_DIR"])
    with served(embedded_environment) as server, member(server) as client:
        ad = client.post("/ads", files=ad_form()).json()
        with member(server, "benn") as other:
            assert other.delete("/ads/1").status_code == 403
            # Beside the running server, from its next request on.
            done("users", "promote", "BENN", environment=embedded_environment)
            assert other.patch("/ads/1", json={"price": 7}).status_code == 200
            done("users", "demote", "benn", environment=embedded_environment)
            assert other.delete("/ads/1").status_code == 403
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(SECONDS)
        token = client.headers["Authorization"]
    assert (data / "jwt_secret").stat().st_mode & 0o777 == 0o600
    with served(embedded_environment) as server:
        # The secret is kept, and so is what it has signed.
        headers = {"Authorization": token}
        mine = httpx2.get(f"{server.url}/ads/me", headers=headers).json()
        assert [found["pk"] for found in mine["results"]] == [ad["pk"]]
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(SECONDS) == 0
    assert not (data / "postgres" / "postmaster.pid").exists()
    assert not list(data.glob(".jwt*"))
