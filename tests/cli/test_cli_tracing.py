"""Traces of served processes, sent to a collector."""

import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from subprocess import check_output
from sys import executable

import httpx2
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

from adsvc.settings import load_settings
from conftest import Environment
from support.running.processes import serving

pytestmark = pytest.mark.heavy

SECONDS = 60
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@dataclass
class Collector:
    """Understands OTLP over HTTP, and keeps what it was sent."""

    url: str
    sent: list[ResourceSpans] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)

    @property
    def spans(self) -> list[Span]:
        return [span for part in self.sent for scope in part.scope_spans for span in scope.spans]

    def attributes(self) -> dict[str, str]:
        """Of the service."""
        return {item.key: item.value.string_value for item in self.sent[0].resource.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.paths.add(self.path)
            if self.path == "/v1/traces":
                collector.sent.extend(ExportTraceServiceRequest.FromString(body).resource_spans)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector = Collector(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


def settings_of(environment: Environment) -> dict[str, str]:
    return {name.removeprefix("ADSVC_").lower(): text for name, text in environment.items()}


@pytest.mark.long
def test_spans_arrive_at_a_collector_also_of_answers_from_memory_and_at_the_end(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "ads of the test")
        # The framework's own telemetry stays off whatever the variables say.
        monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
        # Longer than the test: what comes is sent at the end.
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", str(SECONDS * 1000))
        with serving(load_settings(**settings_of(environment))) as server:
            headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
            with httpx2.Client(base_url=server.url, headers=headers) as client:
                for _ in range(5):
                    assert client.get("/ads").status_code == 200
            server.process.terminate()
            assert server.process.wait(SECONDS) == 0
        spans = [span for span in collector.spans if span.name == "GET /ads"]
        assert len(spans) == 5
        assert collector.paths == {"/v1/traces"}
        assert {span.trace_id.hex() for span in spans} == {TRACE}
        assert {span.parent_span_id.hex() for span in spans} == {PARENT}
        # Some came from memory.
        parents = {
            span.parent_span_id for span in collector.spans if span.name.startswith("SELECT")
        }
        assert len(parents & {span.span_id for span in spans}) < len(spans)
        assert collector.attributes()["service.name"] == "ads of the test"
        assert f"trace_id={TRACE}" in server.log
        assert "Traceback" not in server.log


@pytest.mark.long
def test_a_silent_collector_delays_neither_requests_nor_shutdown(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(
            "OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}"
        )
        # So that it is being sent when the end comes.
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
        monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "8")
        monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", str(SECONDS))
        with serving(load_settings(**settings_of(environment))) as server:
            with httpx2.Client(base_url=server.url) as client:
                for _ in range(50):
                    assert client.get("/ads").status_code == 200
            server.process.terminate()
            # Shorter than the exporter goes on trying.
            assert server.process.wait(SECONDS / 2) == 0
        assert "Traceback" not in server.log


def test_without_the_variables_nothing_that_traces_or_exports_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    program = (
        "import sys; from adsvc.main import create_app_from_environment as make; make();"
        # FastAPI loads the interface of OpenTelemetry itself.
        "names = ('opentelemetry.sdk', 'opentelemetry.exporter', 'prometheus_client');"
        "print([name for name in sys.modules if name.startswith(names)])"
    )
    assert check_output([executable, "-c", program], text=True).strip() == "[]"
