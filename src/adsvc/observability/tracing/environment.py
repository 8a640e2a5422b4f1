"""Whether traces are asked for, by OpenTelemetry's own variables.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from adsvc.db.connections.connection import Statements
from adsvc.errors.extras import how_to_install
from adsvc.observability.logging import Traces
from adsvc.observability.spans import Spans
from adsvc.pictures.picture import TIMES

if TYPE_CHECKING:
    from adsvc.observability.tracing.tracing import Tracing

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
        from adsvc.observability.tracing.tracing import exporting  # noqa: PLC0415 - an extra
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
    from adsvc.observability.tracing.tracing import current_trace_id  # noqa: PLC0415 - an extra

    Statements.observer, TIMES.observer = tracing.statement, tracing.picture
    Spans.begin, Spans.ended = tracing.around, tracing.ended
    Traces.current = current_trace_id
    try:
        yield
    finally:
        Statements.observer = TIMES.observer = Traces.current = Spans.begin = Spans.ended = None
        await tracing.close()
