"""Filters by category and attributes, validated by the definitions of the tree.

Attributes of one name may have several definitions, in different branches. A filter has to be valid
by one of them, and finds ads by all definitions by which it is valid.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import TypeVar

from adsvc.enums import AttributeType
from adsvc.errors import Gathering, InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.faults import Fault, FaultCode
from adsvc.repositories.ads.criteria import AttributeFilter, Branch, Dates, Numbers, Value
from adsvc.schemas.categories import LARGEST_NUMBER, Attribute
from adsvc.services.categories.reading import CategoryTree

# The most filters by attributes in one query.
MOST_ATTRIBUTES = 20
MOST_VALUES = 100

PARAMETER = "attr"
BETWEEN = ".."
EITHER = "|"
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?")
DATE = re.compile(r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}")


T = TypeVar("T")

End = TypeVar("End", float, str)


class _UnfitError(ValueError):
    """The value is not valid by a definition; the fault says what would be."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


def branch(tree: CategoryTree, slug: str) -> Branch:
    if slug not in tree.nodes:
        raise InvalidRequestError(faults.unknown("is not a category").of("category"))
    ids = sorted(node.id for node in tree.below(slug) if node.id is not None)
    return Branch(slug, tuple(ids))


def canonical_filter(text: str) -> str:
    """The canonical form of filters with the same meaning."""
    name, colon, values = text.partition(":")
    return f"{name}{colon}{EITHER.join(sorted(set(values.split(EITHER))))}"


def attribute_filters(
    tree: CategoryTree, slug: str | None, texts: Sequence[str]
) -> tuple[AttributeFilter, ...]:
    """`name:value`, `name:value|value` or `name:low..high`, each in its canonical form.

    The definitions are those of the category, and of those above and below it.
    """
    # Duplicates count too.
    if len(texts) > MOST_ATTRIBUTES:
        detail = f"may be there {MOST_ATTRIBUTES} times at most"
        raise _refused(faults.wrong_count("times", upper=MOST_ATTRIBUTES, detail=detail))
    if sum(text.count(EITHER) + 1 for text in texts) > MOST_VALUES:
        detail = f"may have {MOST_VALUES} values in all"
        raise _refused(faults.wrong_count("values", upper=MOST_VALUES, detail=detail))
    numbers = {canonical_filter(text): number for number, text in enumerate(texts, 1)}
    gathering = Gathering()
    found = []
    for text in sorted(numbers):
        try:
            found.append(_filter(tree, slug, text))
        except _UnfitError as error:
            fault = error.fault
            if len(texts) > 1:
                fault = replace(fault, figures={**fault.figures, "number": numbers[text]})
            gathering.add([fault.of(PARAMETER)])
    gathering.refuse()
    return tuple(found)


def read_as_all_types(text: str) -> AttributeFilter:
    """A valid filter as it would be if its attribute had every type at once.

    It finds what the filter finds by any definitions.
    """
    name, _, values = text.partition(":")
    low, between, high = values.partition(BETWEEN)
    found: list[Value | Numbers | Dates] = [*values.split(EITHER)]
    with suppress(_UnfitError):
        found += [Numbers(*_ends(low, high, _number))] if between else _each(values, _number)
    with suppress(_UnfitError):
        found += [Dates(*_ends(low, high, _date))] if between else ()
    return _attribute_filter(name, found)


def _attribute_filter(name: str, found: Iterable[Value | Numbers | Dates]) -> AttributeFilter:
    chosen = list(found)
    return AttributeFilter(
        name,
        values=tuple(value for value in chosen if not isinstance(value, (Numbers, Dates))),
        ranges=tuple(value for value in chosen if isinstance(value, (Numbers, Dates))),
    )


def _filter(tree: CategoryTree, slug: str | None, text: str) -> AttributeFilter:
    name, colon, values = text.partition(":")
    if not colon:
        raise _UnfitError(faults.wrong_format("must be a name and a value, such as fuel:diesel"))
    definitions = _definitions(tree, slug, name)
    if not definitions:
        raise _UnfitError(faults.unknown("must name an attribute that is defined"))
    definitions = [definition for definition in definitions if definition.filterable]
    if not definitions:
        raise _UnfitError(faults.unknown("must name an attribute that is filterable"))
    found: dict[Value | Numbers | Dates, None] = {}
    unfit = faults.missing()
    for definition in definitions:
        try:
            found |= dict.fromkeys(_wanted(definition, values))
        except _UnfitError as error:
            unfit = error.fault
    if not found:
        raise _UnfitError(unfit)
    return _attribute_filter(name, found)


def _definitions(tree: CategoryTree, slug: str | None, name: str) -> list[Attribute]:
    found = tree.by_attribute.get(name, [])
    if slug is None:
        return found
    nodes = [*tree.path(slug), *tree.below(slug)]
    here = {id(attribute) for node in nodes for attribute in node.own}
    return [definition for definition in found if id(definition) in here]


def _wanted(definition: Attribute, values: str) -> Sequence[Value | Numbers | Dates]:
    kind = definition.type
    if kind is AttributeType.BOOLEAN:
        return _each(values, _boolean)
    if kind is AttributeType.ENUM:
        options = {option.value for option in definition.options}

        def option(text: str) -> str:
            if text not in options:
                detail = "must have options that are defined"
                raise _UnfitError(Fault(FaultCode.NOT_AN_OPTION, detail))
            return text

        return _each(values, option)
    low, between, high = values.partition(BETWEEN)
    if kind is AttributeType.DATE:
        if between:
            return [Dates(*_ends(low, high, _date))]
        return _each(values, _date)
    of_type = _integer if kind is AttributeType.INTEGER else _number
    if between:
        return [Numbers(*_ends(low, high, of_type))]
    return _each(values, of_type)


def _each(values: str, read: Callable[[str], T]) -> list[T]:
    return [read(value) for value in values.split(EITHER)]


def _ends(low: str, high: str, read: Callable[[str], End]) -> tuple[End | None, End | None]:
    if not low and not high:
        raise _UnfitError(faults.wrong_format("must have an end"))
    least, most = (read(low) if low else None), (read(high) if high else None)
    if least is not None and most is not None and least > most:
        raise _UnfitError(faults.inconsistent("must not have its lower end above the upper one"))
    return least, most


def _boolean(text: str) -> bool:
    if text not in {"true", "false"}:
        raise _UnfitError(faults.wrong_type("boolean"))
    return text == "true"


def _number(text: str) -> int | float:
    if NUMBER.fullmatch(text):
        value = float(text)
        if abs(value) <= LARGEST_NUMBER:
            return int(value) if value == int(value) else value
    detail = "must be decimal numbers, or two with .. between"
    raise _UnfitError(faults.wrong_type("number", detail))


def _integer(text: str) -> int:
    value = _number(text)
    if not isinstance(value, int) or "." in text:
        detail = "must be whole numbers, or two with .. between"
        raise _UnfitError(faults.wrong_type("integer", detail))
    return value


def _date(text: str) -> str:
    if DATE.fullmatch(text):
        try:
            date.fromisoformat(text)
        except ValueError:
            pass
        else:
            return text
    detail = "must be dates such as 2026-11-30, or two with .. between"
    raise _UnfitError(faults.wrong_format(detail, format="date"))


def _refused(fault: Fault) -> InvalidRequestError:
    return InvalidRequestError(fault.of(PARAMETER))
