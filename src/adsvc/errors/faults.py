"""What is wrong with a request: the codes, and the sentence and the figures of each fault.

Every fault is made here or from these codes, whoever finds it: the records' validation, the rules
of a category, the parsers. No sentence is a library's, and none repeats what the client sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

# Of more of them a fault does not list the options: a schema has them.
MOST_OPTIONS_TOLD = 50

TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}

Figure = int | float | str | Sequence[str]


class FaultCode(StrEnum):
    """What kind of fault it is, for programs; `detail` says the same to their developer.

    - `missing`: a member, a parameter or a part of the form that has to be there is not.
    - `wrong-type`: the value is of another JSON type than `type`, or null where it may not be.
    - `out-of-range`: a number or a moment is below `minimum` or above `maximum`.
    - `wrong-length`: a text has fewer characters than `minLength` or more than `maxLength`.
    - `wrong-count`: there are fewer than `minItems` or more than `maxItems`: items of a list,
      members of an object, words, parameters or parts of one name.
    - `wrong-format`: a text is not written as `format`, `pattern` or the sentence says.
    - `not-an-option`: the value is none of `options`.
    - `unknown`: something is named that does not exist, or is not to be used here.
    - `duplicate`: two are alike that have to differ.
    - `inconsistent`: the value does not go together with another one, or needs it.
    - `malformed`: the body, the form or the JSON cannot be read at all.
    - `weak-password`: the password is too easy to guess.
    - `unusable-image`: the picture is of a kind that is not taken, or cannot be decoded.
    """

    MISSING = "missing"
    WRONG_TYPE = "wrong-type"
    OUT_OF_RANGE = "out-of-range"
    WRONG_LENGTH = "wrong-length"
    WRONG_COUNT = "wrong-count"
    WRONG_FORMAT = "wrong-format"
    NOT_AN_OPTION = "not-an-option"
    UNKNOWN = "unknown"
    DUPLICATE = "duplicate"
    INCONSISTENT = "inconsistent"
    MALFORMED = "malformed"
    WEAK_PASSWORD = "weak-password"  # noqa: S105 - a code
    UNUSABLE_IMAGE = "unusable-image"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a request, and where.

    `pointer` is a JSON Pointer (RFC 6901) into the JSON that was sent, `parameter` the name of a
    query parameter, path parameter, header or form part, and `part` the part of a form in which the
    fault is. `figures` are members of the problem: the words of JSON Schema, and `number`.
    """

    code: FaultCode
    # For the client's developer.
    detail: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    pointer: str | None = None
    parameter: str | None = None
    part: str | None = None

    def at(self, pointer: str) -> "Fault":
        return replace(self, pointer=pointer)

    def of(self, parameter: str) -> "Fault":
        return replace(self, parameter=parameter)

    def of_part(self, part: str, number: int | None = None) -> "Fault":
        """Of the form's part itself; `number` counts those of the name from 1, if it tells."""
        figures = self.figures if number is None else {**self.figures, "number": number}
        return replace(self, parameter=part, part=part, figures=figures)

    def within(self, part: str) -> "Fault":
        """Of the JSON in that part of a form; a fault of anything else stays what it is."""
        return self if self.pointer is None else replace(self, part=part)

    @property
    def location(self) -> str:
        return self.parameter or self.pointer or ""


def missing(detail: str = "must be given") -> Fault:
    return Fault(FaultCode.MISSING, detail)


def wrong_type(expected: str, detail: str | None = None, **figures: Figure) -> Fault:
    """`expected` is a type of JSON Schema."""
    told = detail or f"must be {TYPES[expected]}"
    return Fault(FaultCode.WRONG_TYPE, told, {"type": expected, **figures})


def not_null() -> Fault:
    return Fault(FaultCode.WRONG_TYPE, "may be left out but not be null")


def out_of_range(
    lower: float | None = None, upper: float | None = None, *, of_type: str = "integer"
) -> Fault:
    lower, upper = _plain(lower), _plain(upper)
    detail = number_within(lower, upper, of_type=of_type)
    return Fault(FaultCode.OUT_OF_RANGE, detail, given(minimum=lower, maximum=upper))


def _plain(bound: float | None) -> float | None:
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def number_within(lower: float | None, upper: float | None, *, of_type: str) -> str:
    """What a number must be, in words."""
    kind = TYPES[of_type]
    if lower is not None and upper is not None:
        return f"must be {kind} from {lower} to {upper}"
    if lower is not None:
        return f"must be {kind} of at least {lower}"
    return f"must be {kind}" if upper is None else f"must be {kind} of at most {upper}"


def wrong_length(lower: int | None, upper: int | None) -> Fault:
    return Fault(
        FaultCode.WRONG_LENGTH,
        f"must have {_from_to(lower, upper)} characters",
        given(minLength=lower, maxLength=upper),
    )


def wrong_count(
    what: str, lower: int | None = None, upper: int | None = None, *, detail: str | None = None
) -> Fault:
    """`what` names those that are counted, in the plural."""
    return Fault(
        FaultCode.WRONG_COUNT,
        detail or f"must have {_from_to(lower, upper)} {what}",
        given(minItems=lower, maxItems=upper),
    )


def wrong_format(detail: str, **figures: Figure) -> Fault:
    return Fault(FaultCode.WRONG_FORMAT, detail, figures)


def not_an_option(options: Sequence[str]) -> Fault:
    if len(options) > MOST_OPTIONS_TOLD:
        return Fault(FaultCode.NOT_AN_OPTION, "must be one of the options")
    named = f"must be one of {', '.join(options)}"
    return Fault(FaultCode.NOT_AN_OPTION, named, {"options": tuple(options)})


def unknown(detail: str) -> Fault:
    return Fault(FaultCode.UNKNOWN, detail)


def duplicate(what: str) -> Fault:
    """`what` names those that are alike, in the plural."""
    return Fault(FaultCode.DUPLICATE, f"must not have two {what} alike")


def inconsistent(detail: str) -> Fault:
    return Fault(FaultCode.INCONSISTENT, detail)


def malformed(detail: str) -> Fault:
    """Of the whole body, unless a place is told."""
    return Fault(FaultCode.MALFORMED, detail)


def given(**figures: Figure | None) -> dict[str, Figure]:
    return {name: figure for name, figure in figures.items() if figure is not None}


def _from_to(lower: int | None, upper: int | None) -> str:
    if lower is None:
        return f"at most {upper}"
    return f"at least {lower}" if upper is None else f"{lower} to {upper}"


def beyond(known: Iterable[Fault], more: Iterable[Fault]) -> list[Fault]:
    """Those of `more` that tell something new.

    What lies at or below a place of the JSON that is at fault already is its consequence.
    """
    listed = list(known)
    pointers = [fault.pointer for fault in listed if fault.pointer is not None]
    found: list[Fault] = []
    for fault in more:
        is_below = fault.pointer is not None and any(
            f"{fault.pointer}/".startswith(f"{pointer}/") for pointer in pointers
        )
        if not is_below and fault not in (*listed, *found):
            found.append(fault)
    return found
