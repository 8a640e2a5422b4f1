"""Spans of requests, statements and pictures, as an exporter receives them."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from pydantic import SecretStr
from sqlalchemy.exc import DBAPIError

from adsvc.api.pipeline.app import FastPathApp, Service
from adsvc.kit.observability.logging import AccessLog
from adsvc.kit.observability.opentelemetry import Tracing, summary
from adsvc.kit.observability.tracing import is_requested, tracing_from
from adsvc.main import create_app
from adsvc.settings import LogFormat, Settings
from conftest import DatabaseFactory
from support.mail.server import HOST as MAIL_HOST
from support.mail.server import receiving
from support.running.in_process import HERE, running
from support.scene.api import Api, ad_form
from support.scene.warmth import warmed
from support.trouble.blocking import busy

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@dataclass(frozen=True)
class Traced:
    api: Api
    exporter: InMemorySpanExporter
    tracing: Tracing

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def below(self, parent: ReadableSpan) -> list[str]:
        """The names of its children, as they ended."""
        context = parent.context
        assert context is not None
        return [
            span.name
            for span in self.spans
            if span.parent and span.parent.span_id == context.span_id
        ]


TracedFactory = Callable[..., AbstractAsyncContextManager[Traced]]


@pytest.fixture
def start_traced(settings: Settings) -> TracedFactory:
    @asynccontextmanager
    async def start(**changes: object) -> AsyncIterator[Traced]:
        exporter = InMemorySpanExporter()
        tracing = Tracing(SimpleSpanProcessor(exporter))
        app = create_app(Settings(**{**dict(settings), **changes}), tracing=tracing)
        async with running(app) as client:
            yield Traced(Api(client, app), exporter, tracing)

    return start


@pytest.fixture
async def traced(start_traced: TracedFactory) -> AsyncIterator[Traced]:
    async with start_traced() as started:
        yield started


def traceparent(flags: str = "01", trace: str = TRACE) -> dict[str, str]:
    return {"traceparent": f"00-{trace}-{PARENT}-{flags}"}


@pytest.mark.heavy
async def test_a_request_is_a_span_and_its_statements_are_below_it(traced: Traced) -> None:
    person = await traced.api.person()
    ad = await person.post_ad()
    traced.exporter.clear()
    for path in (f"/ads/{ad['pk']}", f"/ads/{ad['pk']}/comments"):
        assert (await person.get(path)).status_code == 200
    await asyncio.sleep(0)
    [one] = traced.named("GET /ads/{id}")
    assert one.kind is SpanKind.SERVER
    assert one.parent is None
    assert one.attributes is not None
    assert one.attributes["http.request.method"] == "GET"
    assert one.attributes["http.route"] == "/ads/{id}"
    assert one.attributes["http.response.status_code"] == 200
    assert "SELECT ads" in traced.below(one)
    [comments] = traced.named("GET /ads/{id}/comments")
    assert "SELECT ads" in traced.below(comments)
    url = traced.api.state.database.engine.url
    for span in traced.spans:
        if span.kind is SpanKind.CLIENT:
            told = dict(span.attributes or {})
            address = told.pop("server.address")
            assert isinstance(address, str)
            assert address.startswith("/") or told.pop("server.port") == url.port
            assert told == {
                "db.system.name": "postgresql",
                "db.query.summary": span.name,
                "db.namespace": url.database,
            }
            assert span.start_time is not None
            assert span.end_time is not None
            assert 0 <= span.end_time - span.start_time < 60 * 10**9


@pytest.mark.heavy
async def test_statements_of_both_drivers_are_spans_whatever_they_change(traced: Traced) -> None:
    person = await traced.api.person()
    ad = await person.post_ad()
    [posted] = traced.named("POST /ads")
    # By SQLAlchemy, with what surrounds it.
    assert {"INSERT ads", "BEGIN", "COMMIT"} <= set(traced.below(posted))
    await person.patch(f"/ads/{ad['pk']}", json={"price": 7})
    # asyncpg reports it in the next turn of the event loop.
    await asyncio.sleep(0)
    [patched] = traced.named("PATCH /ads/{id}")
    assert "UPDATE ads" in traced.below(patched)


@pytest.mark.heavy
async def test_a_picture_is_a_span_whose_steps_are_those_of_the_process(traced: Traced) -> None:
    await (await traced.api.person()).post_ad()
    [posted] = traced.named("POST /ads")
    assert "picture process" in traced.below(posted)
    [picture] = traced.named("picture process")
    assert sorted(traced.below(picture)) == ["decode", "encode"]
    [decode], [encode] = traced.named("decode"), traced.named("encode")
    moments = [
        picture.start_time, decode.start_time, decode.end_time, encode.start_time,
        encode.end_time, picture.end_time,
    ]  # fmt: skip
    assert moments == sorted(moments, key=lambda moment: moment or 0)
    assert decode.start_time != decode.end_time
    assert encode.start_time != encode.end_time


@pytest.mark.heavy
async def test_the_trace_of_a_client_is_continued_and_in_the_log(
    start_traced: TracedFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    async with start_traced(log_format=LogFormat.JSON) as traced:
        cold, hot = await warmed(traced.api, "/ads", traceparent())
        none = await traced.api.client.get("/nowhere")
    spans = traced.named("GET /ads")
    assert len(spans) >= 2
    for span in spans:
        assert span.context is not None
        assert span.parent is not None
        assert f"{span.context.trace_id:032x}" == TRACE
        assert f"{span.parent.span_id:016x}" == PARENT
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    traces = {line["request_id"]: line.get("trace_id") for line in lines if "request_id" in line}
    for answer in (cold, hot):
        assert traces[answer.headers["x-request-id"]] == TRACE
    [unmatched] = traced.named("GET")
    assert unmatched.context is not None
    own = f"{unmatched.context.trace_id:032x}"
    assert traces[none.headers["x-request-id"]] == own != TRACE


@pytest.mark.heavy
async def test_a_hostile_traceparent_is_no_worse_than_none(traced: Traced) -> None:
    for value in (
        "", "x", "00", f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01",
        "00-" + "f" * 5000,
        f"ff-{TRACE}-{PARENT}-01", f"00-{TRACE.upper()}-{PARENT}-01", f"00-{TRACE}-{PARENT}-0g",
        f"00-{TRACE}-{PARENT}-01-more", "\xff" * 55, f"00-{TRACE}-{PARENT}", "-" * 200,
    ):  # fmt: skip
        traced.exporter.clear()
        headers = [(b"traceparent", value.encode("latin-1")), (b"tracestate", b"a=b," * 1000)]
        answer = await traced.api.client.get("/livez", headers=headers)
        assert answer.status_code == 200, value
        [span] = traced.named("GET /livez")
        assert span.context is not None
        assert f"{span.context.trace_id:032x}" != TRACE, value
        assert not span.context.trace_state


@pytest.mark.heavy
async def test_only_a_trusted_proxy_decides_what_is_sampled(
    start_traced: TracedFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As samplers by the trace's id take it for certain.
    low = traceparent(trace=f"{1:032x}")
    for sampler in ("parentbased_traceidratio", "traceidratio", "parentbased_always_off"):
        monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler)
        monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.0")
        async with start_traced() as traced:
            assert (await traced.api.client.get("/livez", headers=low)).status_code == 200
            assert traced.spans == [], sampler
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    async with start_traced(trusted_proxies=(HERE,)) as traced:
        await traced.api.client.get("/livez", headers=traceparent("01"))
        await traced.api.client.get("/livez", headers=traceparent("00"))
        assert len(traced.named("GET /livez")) == 1
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_on")
    async with start_traced() as traced:
        # Nor can a stranger keep requests out of the traces.
        await traced.api.client.get("/livez", headers=traceparent("00"))
        assert len(traced.named("GET /livez")) == 1


async def test_a_request_that_failed_is_marked_and_one_that_was_refused_is_not(
    traced: Traced,
) -> None:
    with busy(traced.api.state.searches):
        assert (await traced.api.client.get("/ads?q=oak")).status_code == 503
    [refused] = traced.named("GET /ads")
    assert refused.status.status_code is StatusCode.ERROR
    traced.exporter.clear()
    await traced.api.client.get("/ads/1")
    [unauthorised] = traced.named("GET /ads/{id}")
    assert unauthorised.status.status_code is StatusCode.UNSET


@pytest.mark.heavy
async def test_a_failed_statement_is_reported_without_its_values(
    traced: Traced,
) -> None:
    await (await traced.api.person()).post_ad(title="Secret title")
    traced.exporter.clear()
    request = traced.tracing.begin("TEST", {}, trusted=False)
    assert request is not None
    with Tracing.within(request), pytest.raises(DBAPIError, match="Secret title"):
        await traced.api.sql("SELECT CAST(title AS int) FROM ads")
    await asyncio.sleep(0)
    [failed] = traced.named("SELECT ads")
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "InvalidTextRepresentationError"
    assert "secret" not in failed.to_json().lower()


@pytest.mark.heavy
async def test_no_span_has_words_names_or_addresses(traced: Traced) -> None:
    person = await traced.api.person("secretly@example.com", firstName="Secretfirst")
    ad = await person.post_ad(title="Secret title", description="Secret words here.")
    await person.get("/ads?q=secret", headers={"User-Agent": "secret", **traceparent()})
    await person.patch(f"/ads/{ad['pk']}", json={"title": "Another secret"})
    await traced.api.client.post("/login", json={"username": "secret", "password": "secretly"})
    await traced.api.client.post("/secret")
    told = "".join(span.to_json() for span in traced.spans)
    for word in ("secret", "example.com", HERE, person.token):
        assert word not in told.lower(), word


def test_a_statement_is_labelled_by_its_verb_and_table() -> None:
    for sql, expected in (
        ("SELECT id FROM ads WHERE title = $1", "SELECT ads"),
        ("WITH a AS (SELECT 1 FROM users) UPDATE ads SET price = 1", "UPDATE ads"),
        ("SELECT * FROM ads WHERE id = 1 FOR UPDATE OF ads", "SELECT ads"),
        ("SELECT 1 FROM ads FOR NO KEY UPDATE", "SELECT ads"),
        ("insert into comments (id) values (1)", "INSERT comments"),
        ("INSERT INTO a (b) VALUES (1) ON CONFLICT (b) DO UPDATE SET b = 2", "INSERT a"),
        ("DELETE FROM ads USING users WHERE true", "DELETE ads"),
        ("BEGIN;", "BEGIN"),
        ("SELECT", "SELECT"),
        ("SELECT extract(epoch FROM now())", "SELECT"),
        ("SELECT extract(epoch FROM expires_at), a IS DISTINCT FROM b FROM ads", "SELECT ads"),
        ("SELECT (SELECT 2 FROM ad_images) FROM ads", "SELECT ads"),
        ("WITH x AS MATERIALIZED (SELECT 1 FROM ads) SELECT 1 FROM x", "SELECT ads"),
        ("SELECT 1 FROM unnest($1) LEFT JOIN (SELECT 2 FROM ads) a ON true", "SELECT ads"),
        ("", "SQL"),
    ):
        assert summary(sql) == expected, sql


def test_tracing_is_enabled_only_by_the_usual_variables() -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
    for wanted, environment in (
        (False, {}),
        (True, endpoint),
        (True, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://localhost:4318/v1/traces"}),
        (True, {"OTEL_TRACES_EXPORTER": "otlp"}),
        (False, {**endpoint, "OTEL_SDK_DISABLED": "TRUE"}),
        (True, {**endpoint, "OTEL_SDK_DISABLED": "false"}),
        (False, {**endpoint, "OTEL_TRACES_EXPORTER": "none"}),
        (False, {**endpoint, "OTEL_TRACES_EXPORTER": "console"}),
        (False, {"OTEL_EXPORTER_OTLP_ENDPOINT": " "}),
        (False, {"OTEL_SERVICE_NAME": "ads"}),
    ):
        assert is_requested(environment) is wanted, environment
    assert tracing_from({}) is None


async def test_without_traces_nothing_stands_in_the_way_of_a_request(api: Api) -> None:
    app = api.app
    assert isinstance(app, Service)
    assert isinstance(app.outermost, FastPathApp)
    assert app.immediate_response == app.fast_path.immediate_response
    assert type(app.fast_path.cache.responder._access_log) is AccessLog


async def until_named(traced: Traced, name: str) -> ReadableSpan:
    async with asyncio.timeout(20):
        while not traced.named(name):  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.02)
    return traced.named(name)[-1]


@pytest.mark.heavy
async def test_image_store_spans_are_below_their_request(traced: Traced) -> None:
    person = await traced.api.person()
    ad = await person.post_ad()
    [posted] = traced.named("POST /ads")
    assert "image store write" in traced.below(posted)
    assert (await traced.api.client.get(ad["image"])).status_code == 200
    [read] = traced.named("GET /images/{name}")
    assert "image store read" in traced.below(read)
    shutil.rmtree(traced.api.state.settings.image_dir)
    traced.exporter.clear()
    assert (await person.post("/ads", files=ad_form())).status_code == 503
    [failed] = traced.named("image store write")
    assert failed.status.status_code is StatusCode.ERROR
    assert (failed.attributes or {})["error.type"] == "ImageStoreUnavailableError"


@pytest.mark.heavy
async def test_mails_are_spans_below_their_entry(
    start_traced: TracedFactory, new_database: DatabaseFactory
) -> None:
    # A database of its own: no other process sends its mails.
    async with receiving() as mailbox, new_database() as url:
        address = SecretStr(f"smtp://{MAIL_HOST}:{mailbox.port}?tls=off")
        sending = {
            "jobs": "on",
            "smtp_url": address,
            "mail_from": "a@example.com",
            "site_url": "http://a.example",
            "database_url": SecretStr(url.render_as_string(hide_password=False)),
        }
        async with start_traced(**sending) as traced:
            await traced.api.register("anna@example.com")
            sent = await until_named(traced, "smtp send")
            assert sent.parent is not None
            entry = await until_named(traced, "outbox verification")
            assert entry.context is not None
            assert entry.context.span_id == sent.parent.span_id
        assert entry.parent is None
        assert entry.kind is SpanKind.INTERNAL
        assert entry.attributes == {"adsvc.attempt": 1}
        assert "INSERT mail_tokens" in traced.below(entry)
        assert (sent.attributes or {})["server.port"] == mailbox.port


@pytest.mark.heavy
async def test_jobs_that_did_something_are_spans(
    start_traced: TracedFactory, new_database: DatabaseFactory
) -> None:
    # A database of its own: no other process does the work.
    async with new_database() as url:
        address = SecretStr(url.render_as_string(hide_password=False))
        async with start_traced(jobs="on", database_url=address) as traced:
            deletions = await until_named(traced, "job picture-deletions")
            assert deletions.parent is None
            # asyncpg tells of a statement in a later turn of the event loop than that of its end.
            async with asyncio.timeout(20):
                while not traced.below(deletions):  # noqa: ASYNC110 - there is no event
                    await asyncio.sleep(0.02)
            person = await traced.api.person()
            await person.post_ad()
            assert not traced.named("job expiries")
            await traced.api.sql("UPDATE ads SET expires_at = now() - interval '1 day'")
            expiries = await until_named(traced, "job expiries")
            assert (expiries.attributes or {})["adsvc.done"] == 1
