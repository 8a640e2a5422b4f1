"""The tree as one value, made of what the database or a file has."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from adsvc.schemas.ads.attributes import Attribute
from adsvc.schemas.ads.categories import CategoryDefinition
from adsvc.services.categories.rules import Rules


@dataclass(frozen=True)
class Node:
    """One category. `id` is None if the database does not have it yet."""

    id: int | None
    slug: str
    parent: str | None
    name: str
    names: Mapping[str, str]
    position: int
    own: tuple[Attribute, ...]

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Node":
        # Definitions of a later version may have more members.
        own = (
            Attribute.model_validate(attribute, extra="ignore")
            for attribute in json.loads(row["attributes"])
        )
        return cls(
            row["id"], row["slug"], row["parent"], row["name"], json.loads(row["names"]),
            row["position"], tuple(own),
        )  # fmt: skip

    @classmethod
    def of_definition(cls, slug: str, definition: CategoryDefinition, id: int | None) -> "Node":
        return cls(
            id, slug, definition.parent, definition.name, definition.names, definition.position,
            tuple(definition.attributes),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inherited:
    attribute: Attribute
    inherited: bool


@dataclass(frozen=True)
class CategoryTree:
    """Made of nodes whose parents are there and among which nobody is their own ancestor."""

    nodes: Mapping[str, Node]
    _rules: dict[str, Rules] = field(default_factory=dict)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> "CategoryTree":
        return cls({row["slug"]: Node.of_row(row) for row in rows})

    @cached_property
    def children(self) -> Mapping[str | None, list[Node]]:
        """By their parent, in the order of display."""
        found: dict[str | None, list[Node]] = {}
        for node in sorted(self.nodes.values(), key=lambda n: (n.position, n.name, n.slug)):
            found.setdefault(node.parent, []).append(node)
        return found

    def below(self, slug: str | None) -> Iterator[Node]:
        """Itself (if it is one) and all below it, parents before children, in display order."""
        waiting = [self.nodes[slug]] if slug is not None else self.children.get(None, [])[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.children.get(node.slug, [])))

    def path(self, slug: str) -> list[Node]:
        """From the root down to the category itself."""
        path = [self.nodes[slug]]
        while (parent := path[-1].parent) is not None:
            path.append(self.nodes[parent])
        return path[::-1]

    def is_below(self, slug: str, ancestor: str) -> bool:
        """Also if it is the ancestor itself."""
        return any(node.slug == ancestor for node in self.path(slug))

    def attributes(self, slug: str) -> list[Inherited]:
        """Those of its ancestors first."""
        return [
            Inherited(attribute, node.slug != slug)
            for node in self.path(slug)
            for attribute in node.own
        ]

    @cached_property
    def by_attribute(self) -> Mapping[str, list[Attribute]]:
        """All definitions of each name; branches may have different ones."""
        found: dict[str, list[Attribute]] = {}
        for node in self.nodes.values():
            for attribute in node.own:
                found.setdefault(attribute.name, []).append(attribute)
        return found

    @cached_property
    def by_id(self) -> Mapping[int | None, Node]:
        return {node.id: node for node in self.nodes.values()}

    def rules(self, slug: str) -> Rules:
        """For the attributes of its ads; compiled at the first use."""
        rules = self._rules.get(slug)
        if rules is None:
            attributes = [found.attribute for found in self.attributes(slug)]
            rules = self._rules[slug] = Rules(self.nodes[slug].name, attributes)
        return rules
