"""The tree as one value, made from rows of the database or a file; filters by its attributes."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any, TypeVar

from adsvc.enums import AttributeType
from adsvc.errors import CategoryNotFoundError, Gathering, InvalidRequestError
from adsvc.invalidation import InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Statements
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.records import Written, version_of
from adsvc.repositories import categories as category_rows
from adsvc.repositories.ads.criteria import AttributeFilter, Branch, Dates, Numbers, Value
from adsvc.schemas.categories import (
    LARGEST_NUMBER,
    Attribute,
    Categories,
    Category,
    CategoryAttribute,
    CategoryDefinition,
)
from adsvc.services.categories.rules import Rules


@dataclass(frozen=True)
class Node:
    """One category. `id` is None if the database does not have it yet."""

    id: int | None
    slug: str
    parent: str | None
    name: str
    names: Mapping[str, str]
    synonyms: Mapping[str, Sequence[str]]
    position: int
    icon: str | None
    color: str | None
    own: tuple[Attribute, ...]

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Node":
        # A later version's definitions may have more members.
        own = (
            Attribute.model_validate(attribute, extra="ignore")
            for attribute in json.loads(row["attributes"])
        )
        return cls(
            row["id"],
            row["slug"],
            row["parent"],
            row["name"],
            json.loads(row["names"]),
            json.loads(row["synonyms"]),
            row["position"],
            row["icon"],
            row["color"],
            tuple(own),
        )

    @classmethod
    def of_definition(cls, slug: str, definition: CategoryDefinition, id: int | None) -> "Node":
        return cls(
            id,
            slug,
            definition.parent,
            definition.name,
            definition.names,
            definition.synonyms,
            definition.position,
            definition.icon,
            definition.color,
            tuple(definition.attributes),
        )


@dataclass(frozen=True, slots=True)
class Inherited:
    attribute: Attribute
    inherited: bool


@dataclass(frozen=True)
class CategoryTree:
    """A valid tree: every parent exists, and no node is its own ancestor."""

    nodes: Mapping[str, Node]
    _rules: dict[str, Rules] = field(default_factory=dict)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> "CategoryTree":
        return cls({row["slug"]: Node.of_row(row) for row in rows})

    @cached_property
    def key(self) -> int:
        """The same for trees with the same content, in one process."""
        return hash(repr(self.nodes))

    @cached_property
    def children(self) -> Mapping[str | None, list[Node]]:
        """Children by their parent, in the order of display."""
        found: dict[str | None, list[Node]] = {}
        for node in sorted(self.nodes.values(), key=lambda n: (n.position, n.name, n.slug)):
            found.setdefault(node.parent, []).append(node)
        return found

    def below(self, slug: str | None) -> Iterator[Node]:
        """The category and all below it, parents first, in the order of display. None means all."""
        waiting = [self.nodes[slug]] if slug is not None else self.children.get(None, [])[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.children.get(node.slug, [])))

    def path(self, slug: str) -> list[Node]:
        """The path from the root to the category itself."""
        path = [self.nodes[slug]]
        while (parent := path[-1].parent) is not None:
            path.append(self.nodes[parent])
        return path[::-1]

    def is_below(self, slug: str, ancestor: str) -> bool:
        """Whether it is the ancestor or below it."""
        return any(node.slug == ancestor for node in self.path(slug))

    def attributes(self, slug: str) -> list[Inherited]:
        """Its attributes; those of its ancestors come first."""
        return [
            Inherited(attribute, node.slug != slug)
            for node in self.path(slug)
            for attribute in node.own
        ]

    @cached_property
    def by_attribute(self) -> Mapping[str, list[Attribute]]:
        """The definitions of each name; branches may have different ones."""
        found: dict[str, list[Attribute]] = {}
        for node in self.nodes.values():
            for attribute in node.own:
                found.setdefault(attribute.name, []).append(attribute)
        return found

    @cached_property
    def by_id(self) -> Mapping[int | None, Node]:
        return {node.id: node for node in self.nodes.values()}

    def rules(self, slug: str) -> Rules:
        """The rules for its ads' attributes, compiled at the first use."""
        rules = self._rules.get(slug)
        if rules is None:
            attributes = [found.attribute for found in self.attributes(slug)]
            rules = self._rules[slug] = Rules(self.nodes[slug].name, attributes)
        return rules


class CategoryMemory:
    """Caches the tree until it changes. While notices may be lost, it is read each time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tree: CategoryTree | None = None
        self._generation = -1
        # The rows of the tree. If they are the same, the tree need not be compiled again.
        self._rows: list[tuple[object, ...]] = []

    async def tree(
        self, *, knows: Callable[[CategoryTree], object] = lambda _: True
    ) -> CategoryTree:
        """The tree. It is read again if `knows` is false: another process may have changed it.

        Afterwards `knows` may still be false.
        """
        changes = self._database.changes
        generation = changes.generations[InvalidationKind.CATEGORY]
        cached = self._tree if self._generation == generation and changes.reliable else None
        if cached is not None and knows(cached):
            return cached
        # A replica may not have the change yet.
        reader = self._database.list_reader if cached is None else self._database.reader
        found = await category_rows.tree(reader)
        if generation != changes.generations[InvalidationKind.CATEGORY] and changes.reliable:
            # The tree changed during the read: caches would take answers made from it for new ones.
            return await self.tree(knows=knows)
        rows = sorted(tuple(row.values()) for row in found)
        if self._tree is None or rows != self._rows:
            self._tree, self._rows = CategoryTree.of_rows(found), rows
        self._generation = generation
        return self._tree


async def categories(reader: Statements, tree: CategoryTree) -> Categories:
    counts = totals(tree, await category_rows.counts(reader))
    return Categories(results=[_record(tree, node, counts) for node in tree.below(None)])


async def category(reader: Statements, tree: CategoryTree, slug: str) -> Category:
    """The record of a category of the tree."""
    counts = totals(tree, await category_rows.counts(reader))
    return _record(tree, tree.nodes[slug], counts)


async def written(transaction: Transaction, slug: str) -> Written:
    """`schemas.categories.Category`, as it is after the transaction.

    Raises `CategoryNotFoundError`.
    """
    tree = CategoryTree.of_rows(await category_rows.tree(transaction))
    if slug not in tree.nodes:
        raise CategoryNotFoundError
    record = _record(tree, tree.nodes[slug], totals(tree, await category_rows.counts(transaction)))
    text = record.model_dump_json(by_alias=True)
    return Written(text, version_of(text.encode()))


def totals(tree: CategoryTree, own: Mapping[int, int]) -> Mapping[str, int]:
    """The number of ads of each category with all below it."""
    totals = {slug: own.get(node.id or 0, 0) for slug, node in tree.nodes.items()}
    # Children come after their parents, so each is complete before it is added to its parent.
    for node in reversed(list(tree.below(None))):
        if node.parent is not None:
            totals[node.parent] += totals[node.slug]
    return totals


def _record(tree: CategoryTree, node: Node, counts: Mapping[str, int]) -> Category:
    attributes = [
        CategoryAttribute.model_construct(**dict(found.attribute), inherited=found.inherited)
        for found in tree.attributes(node.slug)
    ]
    return Category.model_construct(
        slug=node.slug,
        parent=node.parent,
        name=node.name,
        names=dict(node.names),
        synonyms={language: list(words) for language, words in node.synonyms.items()},
        position=node.position,
        icon=node.icon,
        color=node.color,
        attributes=attributes,
        count=counts[node.slug],
    )


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

    The definitions are those of the category, and of those above and below it. Attributes of one
    name may have several. A filter has to be valid by one of them, and finds ads by all by which it
    is valid.
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
