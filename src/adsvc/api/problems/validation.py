"""What Pydantic found wrong, as faults of the interface."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from adsvc.errors import Fault, faults

Found = Mapping[str, Any]

# How errors begin for values of another type, and what the type is called in JSON.
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

# By the type of an error; each is given the error's context.
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
    """One of `ValidationError.errors()`, without its place. No words of Pydantic are taken over."""
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
    """With pointers into the JSON."""
    return [fault_of(error).at(pointer_to(error["loc"])) for error in found]


def pointer_to(location: Iterable[str | int]) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in location)
    return "".join(f"/{part}" for part in parts)


def parameter_faults(found: Iterable[Found], *, at: int = 0) -> list[Fault]:
    """With names of parameters; `at` is where in a location the name is.

    Behind the name stands which of the types that a value may have it is not, and "or None" is one
    of them.
    """
    listed: list[Fault] = []
    for error in found:
        if error["type"] != "none_required":
            fault = fault_of(error).of(str(error["loc"][at]))
            if fault not in listed:
                listed.append(fault)
    return listed
