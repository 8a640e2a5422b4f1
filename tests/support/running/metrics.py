"""The metrics exporter in the test's own process, and what a scrape of it contains."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.engine import URL

from adsvc.kit.exporter import exporting
from adsvc.kit.process.server import listen
from adsvc.metrics.process import DatabaseFigures

SECONDS = 20


@dataclass(frozen=True)
class Scrape:
    text: str

    def value(self, name: str, /, **labels: str) -> float:
        """0 for a series that there is not, the sum of several."""
        return sum(
            sample.value
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def labels(self, name: str, label: str) -> set[str]:
        return {
            sample.labels[label]
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
            if sample.name == name
        }

    @property
    def names(self) -> set[str]:
        """Of all samples."""
        return {
            sample.name
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
        }


@dataclass(frozen=True)
class Listener:
    """`directory` is where processes write their numbers."""

    url: str
    directory: str

    async def scrape(self) -> Scrape:
        async with httpx2.AsyncClient(timeout=SECONDS) as client:
            answer = await client.get(f"{self.url}/metrics")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return Scrape(answer.text)


@contextmanager
def metrics_listener(database: URL, replica: URL | None = None) -> Iterator[Listener]:
    sockets = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    with exporting(sockets, DatabaseFigures(database, replica)) as directory:
        yield Listener(url, directory)
