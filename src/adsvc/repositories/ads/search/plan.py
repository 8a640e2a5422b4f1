"""Which words and terms of a search are asked of the index, and what that costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from adsvc.repositories.ads.search.costs import Entries, Part

# What one question may cost the index, in ads that it finds: some 20 ms among a million.
ENTRIES = 30_000

# What it costs to ask one term for an ad that another one has found, in the same measure.
ASKING = 0.25

# So few ads that it is not worth asking for more terms.
FEW = 100


class _Key(NamedTuple):
    read: float
    found: float
    # None for the words.
    terms: Sequence[str] | None
    whole: float = 0

    @property
    def alternatives(self) -> int:
        return 1 if self.terms is None else len(self.terms)


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """With nothing in it, the index is of no use."""

    with_words: bool = False
    groups: tuple[Sequence[str], ...] = ()
    cost: float = inf
    # How many ads are to be expected.
    found: float = inf
    # Whether several are combined: fewer ads may have all of them than is to be expected.
    combined: bool = False


def plan_of(
    words: Entries | None, groups: Sequence[Sequence[str]], terms: Part, ads: float
) -> IndexPlan:
    """The rarest comes first, and others as long as they cost less than they spare."""
    keys = [_Key(read, read, group) for group in groups for read in [_read(group, terms)]]
    if words is not None and words.read < inf:
        keys.append(_Key(words.read, words.found, None, words.whole))
    if not keys:
        return IndexPlan()
    first, *others = sorted(keys, key=lambda key: key.found)
    found, chosen = first.found, [first]
    cost = max(first.read * ASKING, first.whole)
    for key in others:
        more = max(min(found * key.alternatives * ASKING, key.read), key.whole)
        if found <= FEW or cost + more > ENTRIES:
            continue
        chosen.append(key)
        cost += more
        # Attributes depend on each other: what is rare need not be rarer among the others.
        found *= min(1, key.found / ads) ** (0.5 ** (len(chosen) - 1)) if ads else 1
    return IndexPlan(
        with_words=any(key.terms is None for key in chosen),
        groups=tuple(key.terms for key in chosen if key.terms is not None),
        cost=cost + found,
        found=found,
        combined=len(chosen) > 1,
    )


def _read(group: Sequence[str], terms: Part) -> float:
    return sum(terms.ads_with(term) for term in group)
