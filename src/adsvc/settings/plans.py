"""Plans: named limits of accounts."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from adsvc.enums import STANDARD

NAME = r"[a-z][a-z0-9-]{0,31}"
PLAN = re.compile(rf"{NAME}( (uploads|writes|ads|searches|streams)=[1-9][0-9]{{0,8}})*")


class PlanLimits(NamedTuple):
    # In the windows of `upload_window_seconds` and `write_window_seconds`.
    uploads: int
    writes: int
    # Ads that are shown at a time; None for any number.
    ads: int | None = None
    searches: int = 50
    # Of each process.
    streams: int = 4


def plan_texts(value: object) -> object:
    """Plans as operators write them, separated by commas."""
    if isinstance(value, str):
        value = tuple(" ".join(part.split()) for part in value.split(",") if part.strip())
    if isinstance(value, (tuple, list)):
        names = [str(text).partition(" ")[0] for text in value]
        if len({*names}) < len(names) or not all(PLAN.fullmatch(str(text)) for text in value):
            raise ValueError(
                "must be plans, each once, separated by commas: a name and limits, such as "
                "`dealer uploads=5000 writes=6000 ads=1000 searches=200 streams=16`"
            )
    return value


def plan_limits(texts: tuple[str, ...], standard: PlanLimits) -> Mapping[str, PlanLimits]:
    """By name, with the standard one. What a plan does not name is as in that."""
    found = {STANDARD: standard}
    for text in texts:
        name, *given = text.split()
        limits = dict(each.split("=") for each in given)
        found[name] = standard._replace(**{key: int(limit) for key, limit in limits.items()})
    return found
