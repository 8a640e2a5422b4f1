"""Schemas as generators of clients take them well.

What Pydantic writes is right, and hard on them: titles that repeat the name of a member, integers
of no size, `anyOf` for what may be null, and the same enumeration anew at each member.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from adsvc.models import (
    AccountStatus,
    AdStatus,
    CaseKind,
    CaseStatus,
    DecisionAction,
    DecisionGround,
    PriceType,
    ReportReason,
    Role,
)
from adsvc.repositories import Sort

Json = dict[str, Any]

REFERENCE = "#/components/schemas/{model}"

LARGEST_INT32 = 2**31 - 1

# Those that stand at more than one member, by the name that clients know them by.
ENUMERATIONS: tuple[type[StrEnum], ...] = (
    *(AdStatus, PriceType, Role, AccountStatus),
    *(ReportReason, CaseKind, CaseStatus, DecisionAction, DecisionGround),
)

BY_VALUES = {tuple(sorted(kind)): kind for kind in ENUMERATIONS}

# Values that are no names.
NAMES = {order.value: order.name for order in Sort}

HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

NAME = re.compile(r"[A-Z][A-Z0-9_]*")

OPERATIONS = frozenset({"get", "post", "put", "patch", "delete"})

NULL = {"type": "null"}


def reference(name: str) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=name)}


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Method, path and operation, each."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in OPERATIONS:
                yield method, path, operation


def tidy_schemas(document: Json) -> None:
    """All schemas of the document, in place."""
    schemas = document["components"]["schemas"]
    for kind in ENUMERATIONS:
        listed = {"type": "string", "enum": [member.value for member in kind]}
        if any(_is_of(schema, kind) for schema in _every_schema(document)):
            schemas[kind.__name__] = listed
    records = list(schemas.values())
    for schema in _all(records):
        # A member that may be left out and has a default counts as one that has to be there.
        schema.pop("default", None)
    for schema in _every_schema(document):
        _tidy(schema, is_component=any(schema is record for record in records))
    document["components"]["schemas"] = dict(sorted(schemas.items()))


def _every_schema(document: Json) -> list[Json]:
    found = list(_all(document["components"]["schemas"].values()))
    for *_, operation in operations(document):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        holders = [
            *operation.get("parameters", ()),
            *(media for body in bodies for media in body.get("content", {}).values()),
            *(header for body in bodies for header in body.get("headers", {}).values()),
        ]
        found += _all(holder["schema"] for holder in holders if "schema" in holder)
    return found


def _all(schemas: Iterable[Any]) -> Iterator[Json]:
    for schema in schemas:
        if isinstance(schema, dict):
            yield schema
            yield from _all(_within(schema))


def _within(schema: Json) -> Iterator[Any]:
    yield from schema.get("properties", {}).values()
    for key in ("items", "additionalProperties"):
        yield schema.get(key)
    for key in ("anyOf", "oneOf", "allOf"):
        yield from schema.get(key, ())


def _is_of(schema: Json, kind: type[StrEnum]) -> bool:
    return BY_VALUES.get(tuple(sorted(schema.get("enum", ())))) is kind


def _tidy(schema: Json, *, is_component: bool) -> None:
    schema.pop("title", None)
    alternatives = schema.get("anyOf", ())
    if len(alternatives) == 2 and alternatives[1] == NULL:  # noqa: PLR2004 - it, or null
        _take_null(schema, alternatives[0])
    values = schema.get("enum")
    if values is not None:
        kind = BY_VALUES.get(tuple(sorted(values)))
        if kind is not None and not is_component:
            _become(schema, reference(kind.__name__), without=("type", "enum"))
        else:
            schema["x-enum-varnames"] = [variable_name(value) for value in values]
    if schema.get("type") in ("integer", ["integer", "null"]):
        # FastAPI writes the bounds of what may be null as fractions.
        schema.update({key: int(schema[key]) for key in ("minimum", "maximum") if key in schema})
        small = schema.get("maximum", LARGEST_INT32 + 1) <= LARGEST_INT32
        schema.setdefault("format", "int32" if small else "int64")


def _take_null(schema: Json, other: Json) -> None:
    """One type or null, in one schema, where the other alternative is neither named nor listed."""
    if "type" in other and "enum" not in other:
        other.pop("title", None)
        _become(schema, {**other, "type": [other["type"], "null"]}, without=("anyOf",))


def _become(schema: Json, other: Json, *, without: tuple[str, ...]) -> None:
    """That one; what the schema says besides it, such as a description, stays."""
    rest = {key: value for key, value in schema.items() if key not in without}
    schema.clear()
    schema.update({**other, **rest})


def variable_name(value: str) -> str:
    """How a program calls a value of an enumeration."""
    name = NAMES.get(value) or HUMP.sub("_", value).replace("-", "_").upper()
    if not NAME.fullmatch(name):
        raise ValueError(f"no name for the value {value}")
    return name
