"""A line chart in SVG, by hand: both axes logarithmic in the ways that this benchmark needs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = 'font-family="sans-serif" font-size="12"'
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 230, 50, 50
# Distinct for those who do not tell red from green (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    points: dict[int, float]


@dataclass(frozen=True, slots=True)
class _Scale:
    """From what is measured to where it is drawn; the numbers of ads by their logarithm."""

    first: int
    last: int
    highest: float

    def x(self, size: int) -> float:
        span = math.log10(self.last / self.first) or 1
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(size / self.first) / span

    def y(self, cost: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * cost / self.highest

    @property
    def step(self) -> float:
        """Between two marks: 1, 2 or 5 times a power of ten, and some five marks."""
        power: float = 10.0 ** math.floor(math.log10(self.highest / 5))
        return next(power * n for n in (1, 2, 5, 10) if power * n * 6 >= self.highest)


def draw(title: str, lines: Sequence[Line]) -> str:
    sizes = sorted({size for line in lines for size in line.points})
    highest = max(2.0, 1.1 * max(max(line.points.values()) for line in lines))
    scale = _Scale(sizes[0], sizes[-1], highest)
    parts = [
        f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" font-size="14">{escape(title)}</text>',
        *_axes(scale, sizes),
    ]
    for number, line in enumerate(lines):
        parts += _line(line, COLOURS[number % len(COLOURS)], number, scale)
    return "\n".join([*parts, "</svg>", ""])


def _axes(scale: _Scale, sizes: Sequence[int]) -> list[str]:
    parts = []
    mark = 0.0
    while mark <= scale.highest:
        y = scale.y(mark)
        parts += [
            f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{mark:g} x</text>',
        ]
        mark += scale.step
    for size in sizes:
        x = scale.x(size)
        parts += [
            f'<path d="M{x:.1f} {HEIGHT - BOTTOM}v5" stroke="#888"/>',
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size:,}</text>',
        ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">ads</text>')
    return parts


def _line(line: Line, colour: str, number: int, scale: _Scale) -> list[str]:
    places = [(scale.x(size), scale.y(cost)) for size, cost in sorted(line.points.items())]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    legend = TOP + 20 * number
    return [
        f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places),
        f'<path d="M{WIDTH - RIGHT + 20} {legend}h20" stroke="{colour}" stroke-width="2"/>',
        f'<text x="{WIDTH - RIGHT + 46}" y="{legend + 4}">{escape(line.name)}</text>',
    ]
