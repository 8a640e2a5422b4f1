"""Errors of Pydantic as faults, without Pydantic's words."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from adsvc.kit import faults
from adsvc.kit.faults import Fault

Found = Mapping[str, Any]

# How Pydantic's types of errors begin for a value of the wrong type, and that type in JSON.
TYPES = {
    "string": "string",
    "int": "integer",
    "float": "number",
    "finite": "number",
    "bool": "boolean",
    "dict": "object",
    "model": "object",
    "list": "array",
}

UNKNOWN_MEMBER = "extra_forbidden"
OPTION = re.compile(r"'([^']*)'")
NOT_TAKEN = "is not what may stand here"

# Faults by Pydantic's type of error. Each function gets the error's context.
FAULTS: Mapping[str, Callable[[Found], Fault]] = {
    UNKNOWN_MEMBER: lambda _: faults.unknown("is not a member that is known here"),
    "missing": lambda _: faults.missing(),
    "greater_than_equal": lambda of: faults.out_of_range(of["ge"], of_type=_kind(of["ge"])),
    "less_than_equal": lambda of: faults.out_of_range(None, of["le"], of_type=_kind(of["le"])),
    "string_too_short": lambda of: faults.wrong_length(of["min_length"], None),
    "string_too_long": lambda of: faults.wrong_length(None, of["max_length"]),
    "too_short": lambda of: faults.wrong_count("items", of["min_length"]),
    "too_long": lambda of: faults.wrong_count("items", None, of["max_length"]),
    "string_pattern_mismatch": lambda of: pattern_fault(of["pattern"]),
    "literal_error": lambda of: faults.not_an_option(OPTION.findall(of["expected"])),
    "enum": lambda of: faults.not_an_option(OPTION.findall(of["expected"])),
}


def fault_of(found: Found) -> Fault:
    """The fault for one of `ValidationError.errors()`, without its place or Pydantic's words."""
    kind, context = found["type"], found.get("ctx", {})
    fault = context.get("fault")
    if isinstance(fault, Fault):
        return fault
    if kind in FAULTS:
        return FAULTS[kind](context)
    expected = TYPES.get(kind.partition("_")[0])
    return faults.wrong_format(NOT_TAKEN) if expected is None else faults.wrong_type(expected)


def pattern_fault(pattern: str) -> Fault:
    return faults.wrong_format(f"must match {pattern}", pattern=pattern)


def _kind(bound: float) -> str:
    return "integer" if isinstance(bound, int) else "number"


def json_faults(found: Iterable[Found]) -> list[Fault]:
    """Faults with pointers into the JSON."""
    return [fault_of(error).at(pointer_to(error["loc"])) for error in found]


def pointer_to(location: Iterable[str | int]) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in location)
    return "".join(f"/{part}" for part in parts)


def parameter_faults(found: Iterable[Found]) -> list[Fault]:
    """Faults with names of parameters, with which an error's location begins.

    The location goes on with the alternatives of a type, one of which may be "or None".
    """
    listed: list[Fault] = []
    for error in found:
        if error["type"] != "none_required":
            fault = fault_of(error).of(str(error["loc"][0]))
            if fault not in listed:
                listed.append(fault)
    return listed
