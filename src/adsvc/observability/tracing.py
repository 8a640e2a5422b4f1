"""Traces: whether OpenTelemetry's own variables switch them on, and spans of what is no request.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, ClassVar

from adsvc.db.servers import ConnectionDefaults
from adsvc.errors import how_to_install
from adsvc.observability.logging import Traces
from adsvc.pictures.picture import TIMES

Attributes = Mapping[str, str | int]


class Spans:
    """How they are made in this process. Without these nothing is measured."""

    # With whether it begins a trace: what is done inside is below it.
    begin: ClassVar[Callable[[str, Attributes, bool], AbstractContextManager[object]] | None] = None
    # Of what has just ended: how many seconds it took, and what came of it if it failed.
    ended: ClassVar[Callable[[str, float, BaseException | None, Attributes, bool], None] | None] = (
        None
    )


def span(
    name: str, attributes: Attributes, *, begins_trace: bool = False
) -> AbstractContextManager[object]:
    """Around a piece of work, of what is traced already or of a trace of its own."""
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
    """Of a piece of work that has just ended."""
    if Spans.ended is not None:
        Spans.ended(name, seconds, error, attributes, begins_trace)


if TYPE_CHECKING:
    from adsvc.observability.opentelemetry import Tracing

logger = logging.getLogger("adsvc.tracing")

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")

PROTOCOL = "http/protobuf"


def is_requested(environment: Mapping[str, str]) -> bool:
    """An endpoint is given, or OTLP asked for by name, and nothing switches it off."""

    def value(name: str) -> str:
        return environment.get(name, "").strip().lower()

    if value("OTEL_SDK_DISABLED") == "true":
        return False
    exporters = {part.strip() for part in value("OTEL_TRACES_EXPORTER").split(",") if part.strip()}
    if exporters:
        return "otlp" in exporters
    return any(map(value, ENDPOINTS))


def tracing_from(environment: Mapping[str, str]) -> "Tracing | None":
    """None also where it is asked for and cannot be: requests matter more than their traces."""
    if not is_requested(environment):
        return None
    try:
        from adsvc.observability.opentelemetry import exporting  # noqa: PLC0415 - an extra
    except ImportError:
        logger.warning("OTEL_ variables ask for traces. %s", how_to_install("otel"))
        return None
    spoken = next(filter(None, map(environment.get, PROTOCOLS)), PROTOCOL)
    if spoken != PROTOCOL:
        logger.warning("Traces are sent by %s only.", PROTOCOL)
    return exporting()


@asynccontextmanager
async def traced(tracing: "Tracing | None") -> AsyncIterator[None]:
    """During the block it is told of statements, pictures, work and lines of the log."""
    if tracing is None:
        yield
        return
    from adsvc.observability.opentelemetry import current_trace_id  # noqa: PLC0415 - an extra

    ConnectionDefaults.observer, TIMES.observer = tracing.statement, tracing.picture
    Spans.begin, Spans.ended = tracing.around, tracing.ended
    Traces.current = current_trace_id
    try:
        yield
    finally:
        ConnectionDefaults.observer = TIMES.observer = Traces.current = Spans.begin = (
            Spans.ended
        ) = None
        await tracing.close()
