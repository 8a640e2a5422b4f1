"""How much of a drill is run: all of it, or with DRILL=short what fits between two commits."""

import os

SHORT = os.environ.get("DRILL") == "short"


def times(usual: int, *, short: int) -> int:
    return short if SHORT else usual
