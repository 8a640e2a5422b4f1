"""How much of a drill is run: all of it, or with DRILL=short what fits between two commits."""

import os

SHORT = os.environ.get("DRILL") == "short"


def times(usual: int, *, short: int) -> int:
    return short if SHORT else usual


def measured(what: str, value: float, unit: str = "s") -> None:
    """Shown with `-s`, and in the report of a failure."""
    print(f"measured: {what}: {value:.3g} {unit}")
