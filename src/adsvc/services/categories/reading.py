"""The tree as one value, made from the database's rows or from a file."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from adsvc.errors import CategoryNotFoundError
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Statements
from adsvc.kit.versions import Written, version_of
from adsvc.repositories import categories as category_rows
from adsvc.schemas.categories import (
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
        attributes=attributes,
        count=counts[node.slug],
    )
