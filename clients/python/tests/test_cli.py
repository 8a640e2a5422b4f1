"""The command line for developers, in front of a running service."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue

import pytest
from typer.testing import CliRunner

from adsvc_client import AdsvcClient, verify_webhook
from adsvc_client.cli import app, forward
from conftest import PASSWORD

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
def received() -> Iterator[tuple[str, Queue[dict[str, object]]]]:
    """The address of a receiver, and what its signature verified."""
    queue: Queue[dict[str, object]] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            queue.put(verify_webhook(body, dict(self.headers), SECRET))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hooks", queue
        server.shutdown()
        thread.join()


def test_a_developer_s_day(
    service: str, photo: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADSVC_BASE_URL", service)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with AdsvcClient() as client:
        client.register(username=name, password=PASSWORD)

    def run(*arguments: str, **options: str) -> list[dict[str, object]]:
        result = CliRunner().invoke(app, arguments, **options, catch_exceptions=False)  # type: ignore[arg-type]
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]

    run("login", "--username", name, input=f"{PASSWORD}\n")
    kept = tmp_path / "adsvc" / "sessions.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    options = ("--title", "Oak table", "--price", "150", "--description", "Solid oak.")
    [ad] = run("ads", "post", str(photo), *options)
    [changed] = run("call", "updateAd", str(ad["pk"]), "price=90")
    assert changed["price"] == 90
    assert [each["pk"] for each in run("ads", "list", "--mine")] == [ad["pk"]]
    assert run("ads", "list", "--q", "no-such-word") == []
    feed = tmp_path / "stock.csv"
    feed.write_text("externalId,title,price,description,status\nA1,Ash table,5,Solid ash.,draft\n")
    [imported] = run("ads", "import", str(feed), "--dry-run")
    assert imported["status"] == "done"
    assert CliRunner().invoke(app, ["call", "_drive"]).exit_code != 0


def test_what_is_forwarded_is_signed_as_a_webhook_s(
    received: tuple[str, Queue[dict[str, object]]],
) -> None:
    url, queue = received
    event = {"id": 7, "type": "ad.sold", "at": 1, "ad": 3, "user": 5, "data": {}}
    assert forward(url, SECRET, event) == 204
    assert queue.get(timeout=10) == event
    assert forward("http://127.0.0.1:9/", SECRET, event) is None
