"""What the environment says: how many ads, how many rounds, how long each."""

import os
from dataclasses import dataclass
from pathlib import Path

SMALLEST = 1_000


@dataclass(frozen=True, slots=True)
class Options:
    ads: int
    rounds: int
    seconds: float
    # Whether the table grows to a million ads, not only to `ads`.
    growth: bool
    peers: bool
    # Only rows of throughput that name it, to compare two states of the code; nothing is written.
    only: str
    # Where the figures go.
    out: Path

    @classmethod
    def from_environment(cls) -> "Options":
        return cls(
            ads=max(SMALLEST, int(os.environ.get("ADS", "100000"))),
            rounds=max(1, int(os.environ.get("ROUNDS", "5"))),
            seconds=max(1.0, float(os.environ.get("SECONDS", "3"))),
            growth=_is_set("GROWTH"),
            peers=_is_set("PEERS"),
            only=os.environ.get("ONLY", ""),
            out=Path(os.environ.get("OUT") or Path(__file__).parent),
        )

    @property
    def sizes(self) -> list[int]:
        """The sizes of table at which growth is looked at."""
        largest = 1_000_000 if self.growth else self.ads
        steps = {SMALLEST, 10_000, self.ads, largest}
        return sorted(step for step in steps if step <= largest)


def _is_set(name: str) -> bool:
    return os.environ.get(name, "") not in {"", "0"}
