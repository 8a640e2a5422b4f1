"""What metrics and traces cost the answer that costs least."""

from contextlib import ExitStack

from .load import Load
from .report import Row
from .servers import free_port
from .throughput import FIRST_PAGE, Scene, compared

METRICS = "`GET /ads` hot, metrics on"
OFF = "`GET /ads` hot, tracing off"
SOME = "`GET /ads` hot, one request in 100 traced"


def rows(scene: Scene) -> list[Row]:
    plain = scene.load([FIRST_PAGE])
    # Nobody is there: spans are made, and dropped when they should be sent.
    collector = f"http://127.0.0.1:{free_port()}"
    traced = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
        "OTEL_TRACES_SAMPLER": "traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.01",
    }
    found = []
    for work, goal, beside, settings, program in (
        (METRICS, 0.97, "off", {"ADSVC_METRICS_PORT": "0"}, "adsvc"),
        (OFF, 0.98, "without the code", {}, "bench.untraced"),
        (SOME, None, "off", traced, "adsvc"),
    ):
        if scene.options.only not in work:
            continue
        with ExitStack() as stack:
            other = stack.enter_context(scene.site.serving(program=program, **settings))
            load = Load(other.url, [FIRST_PAGE])
            # The service of all other rows has neither metrics nor traces.
            ours, floor = (plain, load) if work == OFF else (load, plain)
            found.append(compared(scene, work, goal, beside, ours, floor))
    return found
