"""Traces by OpenTelemetry: spans of requests, of work, and of statements.

The route is a template, and a statement is named by its operation and its table. So spans have no
values of parameters or rows, and no name, address or id of an account. Of a client's headers they
have the trace's id; a trusted client also sends the request's id, and a `tracestate`, which is
passed on.
"""

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Decision
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from adsvc import __version__
from adsvc.kit.db.servers import DatabaseServer
from adsvc.kit.observability.logging import AccessLog
from adsvc.kit.pictures.containers import Durations

# `FOR UPDATE OF ads` changes nothing.
CHANGE = re.compile(
    r"(?<!FOR )\b(INSERT)\s+INTO\s+(\w+)|(?<!FOR )\b(DELETE)\s+FROM\s+(\w+)"
    r"|(?<!FOR )(?<!NO KEY )\b(UPDATE)\s+(?!OF\b|SET\b|SKIP\b|NOWAIT\b)(\w+)",
    re.IGNORECASE,
)

# Places where FROM is not followed by a table.
NO_TABLE = re.compile(r"\bEXTRACT\s*\(\s*\w+\s+FROM\b|\bDISTINCT\s+FROM\b", re.IGNORECASE)

READ = re.compile(r"[()]|\bFROM\s+([a-z_]\w*)\b(?!\s*\()", re.IGNORECASE)

# A common table expression is not a table.
NAMED = re.compile(r"\b(\w+)\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(", re.IGNORECASE)

WORD = re.compile(r"\s*(\w+)")


@lru_cache(maxsize=1024)
def summary(sql: str) -> str:
    """`UPDATE ads`, for the first table that is changed, else for the first that is read."""
    if change := CHANGE.search(sql):
        operation, table = filter(None, change.groups())
        return f"{operation.upper()} {table.lower()}"
    if table := _outermost_table(NO_TABLE.sub(lambda match: "(" * match[0].count("("), sql)):
        return f"SELECT {table}"
    word = WORD.match(sql)
    return word[1].upper() if word else "SQL"


def _outermost_table(sql: str) -> str | None:
    """The first table that is read within the fewest brackets."""
    named = {name.lower() for name in NAMED.findall(sql)}
    depth, found = 0, dict[int, str]()
    for match in READ.finditer(sql):
        if match[1] is None:
            depth += 1 if match[0] == "(" else -1
        elif (table := match[1].lower()) not in named:
            found.setdefault(depth, table)
    return found[min(found)] if found else None


# How long a process that ends may take to send the rest. The collector may be away.
LAST_SECONDS = 1.0

TRACEPARENT, TRACESTATE = b"traceparent", b"tracestate"

# Longer than any version of the format so far (W3C Trace Context).
TRACEPARENT_MAX_BYTES = 256

SERVER_ERROR = 500
NANOSECONDS = 1_000_000_000
NO_SPAN = Context()


def exporting() -> "Tracing":
    """Configured by the `OTEL_` variables. A thread sends spans; what it cannot send is lost."""
    return Tracing(BatchSpanProcessor(OTLPSpanExporter()))


class Tracing:
    def __init__(self, processor: SpanProcessor) -> None:
        # `close` limits how long the end of the process takes.
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        # `begin` calls the sampler before it makes a span, because most requests are not sampled.
        self._sampler, self._provider.sampler = self._provider.sampler, ALWAYS_ON
        self._tracer = self._provider.get_tracer("adsvc", __version__)
        self._propagator = TraceContextTextMapPropagator()

    def begin(self, method: str, headers: Mapping[bytes, bytes], *, trusted: bool) -> Span | None:
        """The span of a request.

        If the sampler rejects it: a span that records nothing, or None without a remote trace.

        The trace of a client is continued, but only a `trusted` client decides whether it is
        sampled. Any other one could have all of its requests recorded.
        """
        remote = self._remote(headers, trusted=trusted)
        parent = NO_SPAN
        if remote is not None:
            parent = trace.set_span_in_context(NonRecordingSpan(remote), NO_SPAN)
        if remote is not None and trusted:
            sampling = self._sampler.should_sample(parent, remote.trace_id, method, SpanKind.SERVER)
        else:
            # Sampled by a new id, because a client chooses the trace's id.
            trace_id = self._provider.id_generator.generate_trace_id()
            sampling = self._sampler.should_sample(NO_SPAN, trace_id, method, SpanKind.SERVER)
        if sampling.decision is Decision.RECORD_AND_SAMPLE:
            return self._tracer.start_span(method, parent, SpanKind.SERVER)
        if remote is None:
            return None
        unsampled = SpanContext(remote.trace_id, remote.span_id, is_remote=True)
        return NonRecordingSpan(unsampled)

    def _remote(self, headers: Mapping[bytes, bytes], *, trusted: bool) -> SpanContext | None:
        traceparent = headers.get(TRACEPARENT)
        if traceparent is None or len(traceparent) > TRACEPARENT_MAX_BYTES:
            return None
        carrier = {"traceparent": traceparent.decode("latin-1")}
        if trusted and (tracestate := headers.get(TRACESTATE)):
            # Sent to the collector unchanged.
            carrier["tracestate"] = tracestate.decode("latin-1")
        context = self._propagator.extract(carrier, NO_SPAN)
        remote = trace.get_current_span(context).get_span_context()
        return remote if remote.is_valid else None

    @staticmethod
    def within(span: Span) -> AbstractContextManager[Span]:
        """Makes the span current during the block, and does not end it."""
        return trace.use_span(span, record_exception=False, set_status_on_exception=False)

    def statement(
        self, sql: str, seconds: float, error: BaseException | None, server: DatabaseServer | None
    ) -> None:
        """A statement has ended just now (see `ConnectionDefaults.observer`)."""
        if not _is_sampled():
            return
        name = summary(sql)
        attributes: dict[str, str | int] = {
            "db.system.name": "postgresql",
            "db.query.summary": name,
        }
        if server is not None:
            attributes["db.namespace"] = server.database
            attributes["server.address"] = server.address
            if server.port is not None:
                attributes["server.port"] = server.port
        self._ended(name, seconds, error, attributes, None)

    def ended(
        self,
        name: str,
        seconds: float,
        error: BaseException | None,
        attributes: Mapping[str, str | int],
        begins_trace: bool,  # noqa: FBT001 - of `Spans`
    ) -> None:
        """Work has just ended (see `adsvc.kit.observability.tracing`)."""
        if self._takes_new(name) if begins_trace else _is_sampled():
            self._ended(name, seconds, error, attributes, NO_SPAN if begins_trace else None)

    def _ended(
        self,
        name: str,
        seconds: float,
        error: BaseException | None,
        attributes: Mapping[str, str | int],
        context: Context | None,
    ) -> None:
        ended = time.time_ns()
        span = self._tracer.start_span(
            name,
            context,
            kind=SpanKind.INTERNAL if context is NO_SPAN else SpanKind.CLIENT,
            attributes=attributes,
            start_time=_before(ended, seconds),
        )
        if error is not None:
            _mark(span, error)
        span.end(ended)

    @contextmanager
    def wrapped(
        self,
        name: str,
        attributes: Mapping[str, str | int],
        begins_trace: bool,  # noqa: FBT001 - of `Spans`
    ) -> Iterator[None]:
        """A span around work (see `adsvc.kit.observability.tracing`)."""
        if not (self._takes_new(name) if begins_trace else _is_sampled()):
            yield
            return
        context = NO_SPAN if begins_trace else None
        kind = SpanKind.INTERNAL if begins_trace else SpanKind.CLIENT
        span = self._tracer.start_span(name, context, kind, attributes)
        try:
            with self.within(span):
                yield
        except BaseException as error:
            _mark(span, error)
            raise
        finally:
            span.end()

    def _takes_new(self, name: str) -> bool:
        """Whether the sampler accepts a trace that begins here."""
        trace_id = self._provider.id_generator.generate_trace_id()
        sampling = self._sampler.should_sample(NO_SPAN, trace_id, name, SpanKind.INTERNAL)
        return sampling.decision is Decision.RECORD_AND_SAMPLE

    def picture(self, durations: Durations, seconds: float) -> None:
        """A child process has just answered: `durations` are its steps within `seconds`."""
        if not _is_sampled():
            return
        ended = time.time_ns()
        span = self._tracer.start_span("picture process", start_time=_before(ended, seconds))
        context = trace.set_span_in_context(span)
        encoded_from = _before(ended, durations.encode)
        decoded_from = _before(encoded_from, durations.decode)
        decode = self._tracer.start_span("decode", context, start_time=decoded_from)
        decode.end(encoded_from)
        encode = self._tracer.start_span("encode", context, start_time=encoded_from)
        encode.end(ended)
        span.end(ended)

    async def close(self) -> None:
        """Sends the rest, if it can be sent at once."""
        # In a daemon thread, which does not keep the process alive.
        thread = threading.Thread(target=self._provider.shutdown, daemon=True)
        thread.start()
        await asyncio.to_thread(thread.join, LAST_SECONDS)


def _mark(span: Span, error: BaseException) -> None:
    # The error's text may contain values of a row.
    span.set_status(Status(StatusCode.ERROR))
    span.set_attribute("error.type", type(error).__name__)


def current_trace_id() -> str | None:
    """The id of the current request's trace, if it is recorded here or known elsewhere."""
    context = trace.get_current_span().get_span_context()
    if context.is_valid and (context.is_remote or context.trace_flags.sampled):
        return trace.format_trace_id(context.trace_id)
    return None


def note_answer(request_id: str, method: str, route: str | None, status: int) -> None:
    """Completes the span of the request that was answered."""
    span = trace.get_current_span()
    if not span.is_recording():
        return
    attributes: dict[str, str | int] = {
        "http.request.method": method,
        "http.response.status_code": status,
        "adsvc.request_id": request_id,
    }
    if route is not None:
        attributes["http.route"] = route
        span.update_name(f"{method} {route}")
    span.set_attributes(attributes)
    if status >= SERVER_ERROR:
        span.set_status(Status(StatusCode.ERROR))


def _is_sampled() -> bool:
    """Whether the request is sampled, also if its span has just ended with its response."""
    return trace.get_current_span().get_span_context().trace_flags.sampled


def _before(moment: int, seconds: float) -> int:
    return moment - round(seconds * NANOSECONDS)


def _resource() -> Resource:
    """OpenTelemetry's variables name the service; otherwise it is adsvc."""
    resource = Resource.create()
    own = {SERVICE_VERSION: __version__}
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        own[SERVICE_NAME] = "adsvc"
    return resource.merge(Resource(own))


class TracedAccessLog(AccessLog):
    """A class of its own, so that requests without traces do not check for them."""

    def write(
        self,
        request_id: str,
        method: str,
        route: str | None,
        status: int,
        seconds: float,
        user_id: int | None,
        ad_id: int | None = None,
        trace_id: str | None = None,
    ) -> None:
        if trace.get_current_span() is not trace.INVALID_SPAN:
            note_answer(request_id, method, route, status)
            trace_id = current_trace_id()
        super().write(request_id, method, route, status, seconds, user_id, ad_id, trace_id)
