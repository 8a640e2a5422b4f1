"""How long the image store took, and how often it failed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from adsvc.errors import ImageStoreUnavailableError
from adsvc.measures import WORK_SECONDS, Histogram
from adsvc.observability.metrics.publishing import Snapshot
from adsvc.observability.tracing import note_span

OPERATIONS = ("read", "write", "delete", "copy", "list")


class StoreTimes:
    """What one process has had of its store; it counts for the metrics."""

    def __init__(self) -> None:
        self.seconds = {operation: Histogram(WORK_SECONDS) for operation in OPERATIONS}
        self.errors = dict.fromkeys(OPERATIONS, 0)
        # Whether the last operation succeeded; None before the first.
        self.is_up: bool | None = None

    @contextmanager
    def timed(self, operation: str) -> Iterator[None]:
        """A picture that is not there is no failure of the store."""
        began = time.perf_counter()
        fault: BaseException | None = None
        try:
            yield
        except ImageStoreUnavailableError as error:
            fault = error
            raise
        finally:
            seconds = time.perf_counter() - began
            self.seconds[operation].observe(seconds)
            self.errors[operation] += fault is not None
            self.is_up = fault is None
            attributes = {"adsvc.operation": operation}
            note_span(f"image store {operation}", seconds, fault, attributes)

    def add_to(self, snapshot: Snapshot) -> None:
        if self.is_up is not None:
            snapshot.set("adsvc_image_store_up", self.is_up)
        snapshot.set_all("adsvc_image_store_errors_total", self.errors)
        for operation, seconds in self.seconds.items():
            snapshot.set_histogram("adsvc_image_store_seconds", seconds, operation)


STORE_TIMES = StoreTimes()
