"""The terms by which the index of words finds ads by category, attributes and price.

The function `ad_index_terms` in the database gives each ad its terms, and they stand in the column
`search` beside its words, so that one scan of one index answers for all of it. No word begins as
they do. What they find is a superset: the exact condition is asked of each ad that is found.

A number has one term for each of several prefixes of its bits, in an order in which numbers with a
common prefix lie side by side. So few terms cover a range.
"""

import struct
from collections.abc import Iterator, Sequence

from adsvc.models import PriceType
from adsvc.repositories.ads.criteria import AdFilter, AttributeFilter, Dates, Numbers, Value

# The lengths of the prefixes in bits: the sign and the highest bit of the exponent, the exponent in
# three steps, and the mantissa two bits at a time. A thousandth is the finest difference.
LEVELS = (2, 8, 10, 12, 14, 16, 18, 20, 22)

BITS = 64

# More terms for one range cost the index more than they spare: it is covered less finely.
MOST_TERMS = 16

# Options are shorter than this; of longer texts the beginning is a term.
LONGEST_VALUE = 64

# Alternatives beyond this are left to the exact condition: the index asks each for each ad.
MOST_ALTERNATIVES = 48

PRICE = "$"


def index_groups(ads: AdFilter) -> list[Sequence[str]]:
    """Groups of terms of each of which a matching ad has one."""
    groups = [attribute_terms(wanted) for wanted in ads.attributes or ()]
    if ads.category is not None:
        groups.append([f"@{category}" for category in ads.category.ids])
    if groups and (ads.min_price is not None or ads.max_price is not None):
        # Others may have none of their price.
        groups.append(_covering(PRICE, ads.min_price, ads.max_price))
    if ads.price_type not in {None, PriceType.FIXED}:
        groups.append([f"%{ads.price_type}"])
    return [group for group in groups if len(group) <= MOST_ALTERNATIVES]


def attribute_terms(wanted: AttributeFilter) -> Sequence[str]:
    """An ad without any of them does not match."""
    found = [_term_of(wanted.name, value) for value in wanted.values]
    for limits in wanted.ranges:
        found += _covering(f"={wanted.name}", *_ends(limits))
    return list(dict.fromkeys(found))


def _term_of(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return f"={name}={str(value).lower()}"
    if isinstance(value, str):
        return f"={name}={value[:LONGEST_VALUE]}"
    [term] = _covering(f"={name}", value, value)
    return term


def _ends(limits: Numbers | Dates) -> tuple[float | None, float | None]:
    if isinstance(limits, Numbers):
        return limits.low, limits.high
    return _day(limits.low), _day(limits.high)


def _day(date: str | None) -> int | None:
    """A number that grows with the date, small in our time so that single days differ."""
    if date is None:
        return None
    year, month, day = (int(part) for part in date.split("-"))
    return (year - 2000) * 372 + month * 31 + day


def _covering(name: str, low: float | None, high: float | None) -> list[str]:
    """Terms of which each number in the range has one; few, so numbers beside it may too."""
    found: list[str] = []
    for finest in reversed(range(len(LEVELS))):
        first = 0 if low is None else _prefix(low, LEVELS[finest])
        last = (1 << LEVELS[finest]) - 1 if high is None else _prefix(high, LEVELS[finest])
        found = [_number_term(name, *part) for part in _parts(first, last, finest)]
        if len(found) <= MOST_TERMS:
            break
    return found


def _prefix(number: float, bits: int) -> int:
    """The first bits of a code in which numbers have their order."""
    # Minus zero becomes zero.
    [code] = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    ordered: int = code ^ (1 << BITS) - 1 if code >> BITS - 1 else code | 1 << BITS - 1
    return ordered >> BITS - bits


def _parts(first: int, last: int, level: int) -> Iterator[tuple[int, int]]:
    """The prefixes from first to last, those of a coarser level wherever one has them all."""
    while level:
        step = 1 << LEVELS[level] - LEVELS[level - 1]
        while first % step and first <= last:
            yield LEVELS[level], first
            first += 1
        while (last + 1) % step and first <= last:
            yield LEVELS[level], last
            last -= 1
        if first > last:
            return
        first, last, level = first // step, last // step, level - 1
    for prefix in range(first, last + 1):
        yield LEVELS[0], prefix


def _number_term(name: str, bits: int, prefix: int) -> str:
    return f"{name}#{chr(ord('a') + bits // 2)}{prefix:x}"


def tsquery(group: Sequence[str]) -> str:
    """Any term of the group, as PostgreSQL reads a `tsquery`."""
    return " | ".join(map(_quoted, group))


def _quoted(term: str) -> str:
    doubled = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
