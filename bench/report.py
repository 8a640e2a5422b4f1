"""Figures as people and programs read them: a table, a file, a chart."""

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .chart import Line, draw

BEGIN = "<!-- table: written by `make bench` -->"
END = "<!-- end of table -->"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, and the goal it is to reach if it has one."""

    work: str
    value: float | None
    # What is right for orientation but moves from run to run: requests/s, milliseconds.
    ours: str = ""
    beside: str = ""
    # "x" is a ratio; anything else is a figure of its own.
    unit: str = "x"
    goal: float | None = None
    at_least: bool = True
    rounds: tuple[float, ...] = ()
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """None where there is nothing to say."""
        if self.goal is None or self.value is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    @property
    def figure(self) -> str:
        if self.value is None:
            return "-"
        spread = ""
        if len(self.rounds) > 1:
            spread = f" ({_number(min(self.rounds))}-{_number(max(self.rounds))})"
        return f"{_number(self.value)}{_unit(self.unit)}{spread}"

    @property
    def wanted(self) -> str:
        if self.goal is None:
            return "-"
        return f"{'≥' if self.at_least else '≤'} {_number(self.goal)}{_unit(self.unit)}"

    @property
    def verdict(self) -> str:
        return {True: "pass", False: "**miss**", None: ""}[self.reached]


@dataclass(frozen=True, slots=True)
class Curve:
    """What one kind of request costs, in milliseconds, by the number of ads."""

    work: str
    cost: dict[int, float]


@dataclass(frozen=True, slots=True)
class Report:
    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    ads: int
    rounds: int
    seconds: float
    rows: Sequence[Row]
    curves: Sequence[Curve]

    def text(self) -> str:
        """Markdown that is a table on a terminal too."""
        machine = ", ".join(self.machine.values())
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        lines = [
            f"{self.date}; {self.ads:,} ads; {self.rounds} rounds of {self.seconds:g} s.",
            f"{machine}; {versions}.",
            "",
            *table(
                [["Work", "adsvc", "beside it", "figure (rounds)", "goal", ""]]
                + [self._cells(row) for row in self.rows]
            ),
            "",
            *(f"[{number}] {note}  " for number, note in enumerate(self._notes(), 1)),
        ]
        return "\n".join(lines).strip() + "\n"

    def _cells(self, row: Row) -> list[str]:
        mark = f" [{self._notes().index(row.note) + 1}]" if row.note else ""
        return [row.work + mark, row.ours, row.beside, row.figure, row.wanted, row.verdict]

    def _notes(self) -> list[str]:
        return list(dict.fromkeys(row.note for row in self.rows if row.note))

    def write(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        plain = asdict(self)
        for row, found in zip(plain["rows"], self.rows, strict=True):
            row["reached"] = found.reached
        text = json.dumps(plain, indent=2, ensure_ascii=False)
        (directory / "results.json").write_text(text + "\n")
        if self.curves:
            (directory / "growth.svg").write_text(chart(self.curves))
        readme = directory / "README.md"
        if readme.exists():
            readme.write_text(with_table(readme.read_text(), self.text()))


def chart(curves: Sequence[Curve]) -> str:
    """Relative to the smallest table, so that all of them begin at one point."""
    return draw(
        "Cost of a request by number of ads, relative to the smallest table",
        [
            Line(curve.work, {size: cost / curve.cost[min(curve.cost)] for size, cost in points})
            for curve in curves
            for points in [sorted(curve.cost.items())]
        ],
    )


def with_table(page: str, text: str) -> str:
    """The page with what is between the two comments replaced."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        return page
    return f"{before}{BEGIN}\n\n{text}\n{END}{after}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]


def per_second(found: Sequence[float]) -> str:
    return f"{statistics.median(found):,.0f}/s"


def milliseconds(found: Sequence[float]) -> str:
    return f"{_number(statistics.median(found))} ms"


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    digits = 1 if value >= 10 else 2
    return f"{value:.{digits}f}" if math.isfinite(value) else "∞"


def _unit(unit: str) -> str:
    return " x" if unit == "x" else f" {unit}"
