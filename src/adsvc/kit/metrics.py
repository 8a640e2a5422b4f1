"""What Prometheus metrics there are. `kit.exporter` has the library, which few processes load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
STALL_SECONDS = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclass(frozen=True, slots=True)
class Metric:
    """`bounds` are those of a histogram's buckets, without infinity. `mode` says what becomes of
    the values that several processes have of a gauge; those that have ended do not count.
    """

    name: str
    type: Literal["counter", "gauge", "histogram"]
    help: str
    labels: Sequence[str] = ()
    bounds: Sequence[float] = ()
    mode: Literal["livesum", "livemax", "livemin"] = "livesum"

    @property
    def kind(self) -> str:
        """The beginning of the name of its file."""
        return f"gauge_{self.mode}" if self.type == "gauge" else self.type


# By name. Only what it lists can be set.
Table = Mapping[str, Metric]


class Figures:
    """Gauges that the exporter itself finds out, beside what processes write."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.values: list[tuple[Metric, tuple[str, ...], float]] = []

    def set(self, name: str, value: float, *labels: str) -> None:
        self.values.append((self._table[name], labels, value))


class FiguresReader(Protocol):
    async def now(self) -> Figures: ...

    def close(self) -> None: ...
