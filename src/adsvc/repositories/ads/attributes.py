"""What a listing asks of the category and the attributes of its ads, and its exact conditions.

The conditions never fail, whatever an ad has in an attribute.
"""

import json
from dataclasses import dataclass, field

from adsvc.repositories.ads.terms import Parameters

# As JSON has them. A date is a text, YYYY-MM-DD.
Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A category with all below it."""

    # Its slug.
    root: str
    # May change while somebody pages through; what a cursor belongs to is the root.
    ids: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Both ends included; None is no end."""

    low: float | None
    high: float | None

    @property
    def empty(self) -> bool:
        return self.low is not None and self.high is not None and self.low > self.high


@dataclass(frozen=True, slots=True)
class Dates:
    """Both ends included, YYYY-MM-DD; None is no end."""

    low: str | None
    high: str | None

    @property
    def empty(self) -> bool:
        return self.low is not None and self.high is not None and self.low > self.high


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """Ads whose attribute has one of the values or lies in one of the ranges."""

    name: str
    values: tuple[Value, ...] = ()
    ranges: tuple[Numbers | Dates, ...] = ()

    @property
    def impossible(self) -> bool:
        return not self.values and all(limits.empty for limits in self.ranges)


def branch_sql(branch: Branch, parameters: Parameters) -> str:
    return f"category_id = ANY({parameters.add(list(branch.ids))}::bigint[])"


def attribute_sql(wanted: AttributeFilter, parameters: Parameters) -> str:
    value = f"attributes -> {parameters.add(wanted.name)}::text"
    alternatives = []
    if wanted.values:
        values = parameters.add([json.dumps(value) for value in wanted.values])
        # Compared as JSON, where 3 equals 3.0, and neither "3".
        alternatives.append(f"({value}) = ANY({values}::jsonb[])")
    for limits in wanted.ranges:
        if isinstance(limits, Numbers):
            alternatives.append(_numbers_sql(value, limits, parameters))
        else:
            alternatives.append(_dates_sql(value, limits, parameters))
    return f"({' OR '.join(alternatives)})"


def _numbers_sql(value: str, limits: Numbers, parameters: Parameters) -> str:
    # Values of different types have an order too.
    conditions = [f"jsonb_typeof({value}) = 'number'"]
    for comparison, end in ((">=", limits.low), ("<=", limits.high)):
        if end is not None:
            conditions.append(f"{value} {comparison} {parameters.add(json.dumps(end))}::jsonb")
    return f"({' AND '.join(conditions)})"


def _dates_sql(value: str, limits: Dates, parameters: Parameters) -> str:
    conditions = [f"jsonb_typeof({value}) = 'string'"]
    for comparison, end in ((">=", limits.low), ("<=", limits.high)):
        if end is not None:
            text = f"({value} #>> '{{}}') COLLATE \"C\""
            conditions.append(f"{text} {comparison} {parameters.add(end)}::text")
    return f"({' AND '.join(conditions)})"
