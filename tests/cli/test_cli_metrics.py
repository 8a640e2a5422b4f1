"""Metrics of served processes."""

import os
import re
import signal
import socket
import time

import httpx2
import pytest

from adsvc.settings import load_settings
from conftest import Environment
from support.running.commands import not_served
from support.running.metrics import Scrape
from support.running.processes import Server, serving

pytestmark = pytest.mark.heavy

SECONDS = 60


def scrape(server: Server) -> Scrape:
    [url] = re.findall(r"Serving metrics on (\S+)", server.log)
    return Scrape(httpx2.get(f"{url}/metrics", timeout=SECONDS).text)


def until(server: Server, name: str, least: float, **labels: str) -> Scrape:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        found = scrape(server)
        if found.value(name, **labels) >= least:
            return found
        time.sleep(0.05)
    raise AssertionError(found.text)


@pytest.mark.long
def test_workers_are_summed_and_one_that_is_killed_is_not_forgotten(
    environment: Environment,
) -> None:
    given = {name.removeprefix("ADSVC_").lower(): text for name, text in environment.items()}
    settings = load_settings(**{**given, "workers": 2, "metrics_port": 0})
    requests, labels = "adsvc_http_requests_total", {"route": "/ads", "status": "200"}
    with serving(settings) as server:
        until(server, "adsvc_processes", 2)
        for _ in range(20):
            # Each on a connection of its own, which any worker may take.
            assert httpx2.get(f"{server.url}/ads").status_code == 200
        before = until(server, requests, 20, **labels)
        assert before.value(requests, **labels) == 20
        assert before.value("adsvc_http_busy_requests_limit") == 2 * settings.busy_requests
        pids = re.findall(r"Started server process \[(\d+)\]", server.log)
        victim = next(int(pid) for pid in reversed(pids) if int(pid) != server.process.pid)
        os.kill(victim, signal.SIGKILL)
        after = scrape(server)
        assert after.value(requests, **labels) == 20
        again = until(server, "adsvc_processes", 2)
        assert again.value(requests, **labels) == 20
        assert httpx2.get(f"{server.url}/metrics").status_code == 404
        server.process.terminate()
        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log


def test_a_port_for_metrics_that_is_taken_is_named(environment: Environment) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        why = not_served(environment={**environment, "ADSVC_METRICS_PORT": str(port)})
    assert f"ADSVC_METRICS_HOST, ADSVC_METRICS_PORT: 127.0.0.1 port {port} cannot be used" in why
