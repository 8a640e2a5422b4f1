"""What is wrong with a request: the codes, and the sentence and the figures of each fault.

All faults are made here, whether the validation of a record, the rules of a category or a parser
finds them. No sentence comes from a library, and none repeats what the client sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

# A fault lists no more options than this; a schema has them all.
MOST_OPTIONS_LISTED = 50

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
    """The kind of a fault, for programs. `detail` says the same in words.

    - `missing`: a required member, parameter or part of the form is missing.
    - `wrong-type`: the value has another JSON type than `type`, or is null where it must not be.
    - `out-of-range`: a number or a moment is below `minimum` or above `maximum`.
    - `wrong-length`: a text has fewer characters than `minLength` or more than `maxLength`.
    - `blank`: a text has no visible character.
    - `wrong-count`: there are fewer than `minItems` or more than `maxItems` items of a list,
      members of an object, words, parameters or parts of one name.
    - `wrong-format`: a text is not written as `format`, `pattern` or `detail` says.
    - `not-an-option`: the value is none of `options`.
    - `unknown`: it names something that does not exist, or cannot be used here.
    - `duplicate`: two values are equal that must differ.
    - `inconsistent`: the value contradicts another one, or needs one that is missing.
    - `malformed`: the body, the form or the JSON cannot be read.
    - `weak-password`: the password is too easy to guess.
    - `too-broad`: the search to be saved would match almost any ad.
    - `unusable-image`: the picture has a format that is not accepted, or cannot be decoded or
      fetched.
    - `refused`: the account may not do this now, for instance for a quota.
    """

    MISSING = "missing"
    WRONG_TYPE = "wrong-type"
    OUT_OF_RANGE = "out-of-range"
    WRONG_LENGTH = "wrong-length"
    BLANK = "blank"
    WRONG_COUNT = "wrong-count"
    WRONG_FORMAT = "wrong-format"
    NOT_AN_OPTION = "not-an-option"
    UNKNOWN = "unknown"
    DUPLICATE = "duplicate"
    INCONSISTENT = "inconsistent"
    MALFORMED = "malformed"
    WEAK_PASSWORD = "weak-password"  # noqa: S105 - a code
    TOO_BROAD = "too-broad"
    UNUSABLE_IMAGE = "unusable-image"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a request, and where.

    `pointer` is a JSON Pointer (RFC 6901) into the JSON that was sent, `parameter` the name of a
    query parameter, path parameter, header or form part, and `part` the part of a form that has the
    fault. `figures` are further members of the fault in the problem document: keywords of JSON
    Schema, and `number`.
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
        """A fault of the part itself; `number` counts the parts of that name from 1."""
        figures = self.figures if number is None else {**self.figures, "number": number}
        return replace(self, parameter=part, part=part, figures=figures)

    def within(self, part: str) -> "Fault":
        """A fault in the JSON of that part; other faults are returned unchanged."""
        return self if self.pointer is None else replace(self, part=part)

    @property
    def location(self) -> str:
        return self.parameter or self.pointer or ""


def missing(detail: str = "must be given") -> Fault:
    return Fault(FaultCode.MISSING, detail)


def wrong_type(expected: str, detail: str | None = None, **figures: Figure) -> Fault:
    """`expected` is a type of JSON Schema."""
    sentence = detail or f"must be {TYPES[expected]}"
    return Fault(FaultCode.WRONG_TYPE, sentence, {"type": expected, **figures})


def not_null() -> Fault:
    return Fault(FaultCode.WRONG_TYPE, "may be left out, but must not be null")


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


def blank() -> Fault:
    return Fault(FaultCode.BLANK, "must have a visible character")


def wrong_count(
    what: str, lower: int | None = None, upper: int | None = None, *, detail: str | None = None
) -> Fault:
    """`what` names the counted things, in the plural."""
    return Fault(
        FaultCode.WRONG_COUNT,
        detail or f"must have {_from_to(lower, upper)} {what}",
        given(minItems=lower, maxItems=upper),
    )


def wrong_format(detail: str, **figures: Figure) -> Fault:
    return Fault(FaultCode.WRONG_FORMAT, detail, figures)


def not_an_option(options: Sequence[str]) -> Fault:
    if len(options) > MOST_OPTIONS_LISTED:
        return Fault(FaultCode.NOT_AN_OPTION, "must be one of the options")
    named = f"must be one of {', '.join(options)}"
    return Fault(FaultCode.NOT_AN_OPTION, named, {"options": tuple(options)})


def unknown(detail: str) -> Fault:
    return Fault(FaultCode.UNKNOWN, detail)


def duplicate(what: str) -> Fault:
    """`what` names the values, in the plural."""
    return Fault(FaultCode.DUPLICATE, f"must not have two equal {what}")


def inconsistent(detail: str) -> Fault:
    return Fault(FaultCode.INCONSISTENT, detail)


def malformed(detail: str) -> Fault:
    """A fault of the whole body, unless it gets a place."""
    return Fault(FaultCode.MALFORMED, detail)


def given(**figures: Figure | None) -> dict[str, Figure]:
    return {name: figure for name, figure in figures.items() if figure is not None}


def _from_to(lower: int | None, upper: int | None) -> str:
    if lower is None:
        return f"at most {upper}"
    return f"at least {lower}" if upper is None else f"{lower} to {upper}"


def beyond(known: Iterable[Fault], more: Iterable[Fault]) -> list[Fault]:
    """The faults in `more` that do not merely follow from those in `known`.

    A fault at or below a place in the JSON that has a fault already is its consequence.
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
