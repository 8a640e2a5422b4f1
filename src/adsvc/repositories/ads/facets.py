"""Facets: numbers of ads by price, month, category and attribute; cells: by place."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log2
from typing import Any

from adsvc.enums import PriceType
from adsvc.kit.db.statements import Row
from adsvc.repositories.ads.places import Box
from adsvc.repositories.ads.search_words import Parameters

# The most values of one attribute: those that most ads have.
MOST_VALUES = 500
# About how many bands an attribute of numbers has.
BANDS = 8
# The most cells from one edge of a map to the other.
CELLS = 20
# The narrowest cells are as wide as those of public points, roughly: 360 degrees by 2 ** 15.
FINEST = 15


@dataclass(frozen=True, slots=True)
class FacetRequest:
    """What to count besides prices and months: attributes by value, or by band."""

    price_steps: Sequence[int]
    choices: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def columns(self) -> str:
        """The columns that the counts need."""
        attributes = ", attributes" if self.choices or self.numbers else ""
        return f"price, price_type, created_at, category_id{attributes}"

    def sql(self, rows: str, parameters: Parameters) -> str:
        return facets_sql(rows, self, parameters)


@dataclass(frozen=True, slots=True)
class CellRequest:
    """What to count: ads by cells of the globe, whose sides are degrees of longitude and latitude.

    The cells do not depend on where the box begins, so that they stay where they are while people
    move a map.
    """

    width: float
    height: float

    columns = "public_latitude, public_longitude"

    @classmethod
    def of_box(cls, box: Box) -> "CellRequest":
        """Cells such that no box has more than `CELLS` from one edge to the other."""
        width = box.east - box.west if box.west <= box.east else box.east - box.west + 360
        return cls(_side(360, width), _side(180, box.north - box.south))

    def sql(self, rows: str, parameters: Parameters) -> str:
        width, height = (f"{parameters.add(side)}::float8" for side in (self.width, self.height))
        # The middle of the public points, which is the point itself where there is one.
        return f"""(
            SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                'latitude', round(latitude::numeric, 4), 'longitude', round(longitude::numeric, 4),
                'count', n, 'pk', CASE WHEN n = 1 THEN pk END
            ))), '[]')::text
            FROM (
                SELECT avg(public_latitude) AS latitude, avg(public_longitude) AS longitude,
                    count(*) AS n, min(id) AS pk
                FROM {rows}
                GROUP BY floor(public_latitude / {height}), floor(public_longitude / {width})
            ) AS cell
        )"""


def _side(globe: int, span: float) -> float:
    """Of a span that begins anywhere, two cells more than fit into it have a part."""
    fits = (CELLS - 2) * globe / span if span else 2**FINEST
    side: float = globe / 2 ** min(floor(log2(fits)), FINEST)
    return side


@dataclass(frozen=True, slots=True)
class Facets:
    """`exact` if all matches were counted."""

    exact: bool
    prices: Sequence[tuple[int, int]] = ()
    months: Sequence[tuple[str, int]] = ()
    # By the category's id, without the categories below it.
    categories: Mapping[int, int] | None = None
    # By attribute: values with their counts, the most common first.
    choices: Mapping[str, Sequence[tuple[Any, int]]] | None = None
    # By attribute: bands, lowest first, each from its lowest number to its highest.
    numbers: Mapping[str, Sequence[tuple[float, float, int]]] | None = None

    @classmethod
    def of_row(cls, row: Row, *, exact: bool) -> "Facets":
        found = json.loads(row["counts"])
        return cls(
            exact,
            found["prices"],
            found["months"],
            {int(category): count for category, count in found["categories"].items()},
            found["choices"],
            found["numbers"],
        )


def facets_sql(rows: str, counted: FacetRequest, parameters: Parameters) -> str:
    """One JSON value from the rows of that name, which have `counted.columns`."""
    steps = parameters.add(list(counted.price_steps))
    prices = f"""
        SELECT width_bucket(price, {steps}::int[]) AS band, count(*) AS n
        FROM {rows} WHERE price_type <> '{PriceType.ON_REQUEST}' GROUP BY 1 ORDER BY 1"""
    months = f"""
        SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS n
        FROM {rows} GROUP BY 1 ORDER BY 1"""
    categories = f"""
        SELECT category_id, count(*) AS n FROM {rows}
        WHERE category_id IS NOT NULL GROUP BY category_id"""
    parts = {
        "prices": _listed("band, n", prices),
        "months": _listed("month, n", months),
        "categories": _named("category_id", "n", categories),
        "choices": "'{}'::json",
        "numbers": "'{}'::json",
    }
    if counted.choices:
        parts["choices"] = _choices_sql(rows, parameters.add(list(counted.choices)))
    if counted.numbers:
        parts["numbers"] = _numbers_sql(rows, parameters.add(list(counted.numbers)))
    members = ", ".join(f"'{name}', {sql}" for name, sql in parts.items())
    return f"json_build_object({members})::text"


def _listed(columns: str, query: str) -> str:
    made = f"coalesce(json_agg(json_build_array({columns})), '[]')"
    return f"(SELECT {made} FROM ({query}) AS counted)"


def _named(name: str, value: str, query: str) -> str:
    made = f"coalesce(json_object_agg({name}, {value}), '{{}}')"
    return f"(SELECT {made} FROM ({query}) AS counted)"


def _choices_sql(rows: str, names: str) -> str:
    choices = f"""
        SELECT key, json_agg(json_build_array(value, n) ORDER BY n DESC, value) AS counts FROM (
            SELECT key, value, count(*) AS n,
                row_number() OVER (PARTITION BY key ORDER BY count(*) DESC, value) AS place
            FROM {rows} CROSS JOIN LATERAL jsonb_each(attributes)
            WHERE key = ANY({names}::text[]) GROUP BY key, value
        ) AS ranked WHERE place <= {MOST_VALUES} GROUP BY key
    """
    return _named("key", "counts", choices)


def _numbers_sql(rows: str, names: str) -> str:
    """Bands of 1, 2 or 5 times a power of ten."""
    numbers = f"""
        WITH found AS MATERIALIZED (
            -- What is next to nothing would underflow when it is divided.
            SELECT key,
                CASE WHEN abs(value::numeric) < 1e-100 THEN 0 ELSE value::float END AS number
            FROM {rows} CROSS JOIN LATERAL jsonb_each(attributes)
            WHERE key = ANY({names}::text[]) AND jsonb_typeof(value) = 'number'
        ), spans AS (
            SELECT key, (max(number) - min(number)) / {BANDS} AS span FROM found GROUP BY key
        ), powers AS (
            SELECT key, span,
                CASE WHEN span > 0 THEN 10 ^ floor(log(span)) ELSE 1 END AS power FROM spans
        ), steps AS (
            SELECT key, power * CASE
                WHEN span <= power THEN 1 WHEN span <= 2 * power THEN 2
                WHEN span <= 5 * power THEN 5 ELSE 10
            END AS step FROM powers
        ), bands AS (
            SELECT key, min(number) AS low, max(number) AS high, count(*) AS n
            FROM found JOIN steps USING (key) GROUP BY key, floor(number / step)
        )
        SELECT key, json_agg(json_build_array(low, high, n) ORDER BY low) AS bands
        FROM bands GROUP BY key
    """
    return _named("key", "bands", numbers)
