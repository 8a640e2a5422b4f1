"""How much of a drill is run: all of it, or the short form with DRILL=short."""

import os

SHORT = os.environ.get("DRILL") == "short"

# What the drills of this run have measured, in their order.
figures: list[str] = []


def times(usual: int, *, short: int) -> int:
    return short if SHORT else usual


def measured(what: str, value: float, unit: str = "s") -> None:
    """Listed at the end of the run."""
    figures.append(f"{what}: {value:.3g} {unit}")
