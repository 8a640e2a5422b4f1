"""Traces: whether OpenTelemetry's variables switch them on, and spans of work beside requests.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, ClassVar

from adsvc.kit.db.servers import ConnectionDefaults
from adsvc.kit.errors import how_to_install
from adsvc.kit.observability.logging import Traces
from adsvc.kit.pictures.containers import TIMES

Attributes = Mapping[str, str | int]


class Spans:
    """The functions that make spans. They are None without traces, and nothing is measured then.

    Global, as OpenTelemetry's current span is: functions far below `AppState` make spans.
    """

    # The last argument says whether the span begins a trace.
    begin: ClassVar[Callable[[str, Attributes, bool], AbstractContextManager[object]] | None] = None
    # For work that has just ended: its seconds, and its error if it failed.
    ended: ClassVar[Callable[[str, float, BaseException | None, Attributes, bool], None] | None] = (
        None
    )


def span(
    name: str, attributes: Attributes, *, begins_trace: bool = False
) -> AbstractContextManager[object]:
    """A span around work: in the current trace, or in a new one."""
    begin = Spans.begin
    return nullcontext() if begin is None else begin(name, attributes, begins_trace)


def note_span(
    name: str,
    seconds: float,
    error: BaseException | None,
    attributes: Attributes,
    *,
    begins_trace: bool = False,
) -> None:
    """A span for work that has just ended."""
    if Spans.ended is not None:
        Spans.ended(name, seconds, error, attributes, begins_trace)


if TYPE_CHECKING:
    from adsvc.kit.observability.opentelemetry import Tracing

logger = logging.getLogger("adsvc.tracing")

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"


def is_requested(environment: Mapping[str, str]) -> bool:
    """An endpoint or the exporter `otlp` is set, and the SDK is not disabled."""

    def value(name: str) -> str:
        return environment.get(name, "").strip().lower()

    if value("OTEL_SDK_DISABLED") == "true":
        return False
    exporters = {part.strip() for part in value("OTEL_TRACES_EXPORTER").split(",") if part.strip()}
    if exporters:
        return "otlp" in exporters
    return any(map(value, ENDPOINTS))


def tracing_from(environment: Mapping[str, str]) -> "Tracing | None":
    """None also if traces are requested and the SDK is not installed."""
    if not is_requested(environment):
        return None
    try:
        from adsvc.kit.observability.opentelemetry import exporting  # noqa: PLC0415 - an extra
    except ImportError:
        logger.warning("OTEL_ variables request traces. %s", how_to_install("otel"))
        return None
    spoken = next(filter(None, map(environment.get, PROTOCOLS)), PROTOCOL)
    if spoken != PROTOCOL:
        logger.warning("Traces are sent by %s only.", PROTOCOL)
    return exporting()


@asynccontextmanager
async def traced(tracing: "Tracing | None") -> AsyncIterator[None]:
    """During the block, statements, pictures, work and log lines are traced."""
    if tracing is None:
        yield
        return
    from adsvc.kit.observability.opentelemetry import current_trace_id  # noqa: PLC0415 - an extra

    ConnectionDefaults.observer, TIMES.observer = tracing.statement, tracing.picture
    Spans.begin, Spans.ended = tracing.wrapped, tracing.ended
    Traces.current = current_trace_id
    try:
        yield
    finally:
        ConnectionDefaults.observer = TIMES.observer = Traces.current = Spans.begin = (
            Spans.ended
        ) = None
        await tracing.close()
