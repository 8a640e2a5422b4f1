"""Changes of the tree: one category by an administrator, or a list by the operator."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any

from adsvc import errors
from adsvc.enums import AuditKind, StarterTree
from adsvc.errors import OperatorError
from adsvc.invalidation import InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.records import Expected
from adsvc.repositories import categories as category_rows
from adsvc.repositories.categories import reword_ads
from adsvc.schemas.categories import (
    MOST_ATTRIBUTES,
    MOST_CATEGORIES,
    CategoryDefinition,
    CategoryFile,
    MovedAds,
    NamedCategory,
)
from adsvc.services import audit
from adsvc.services.categories.reading import CategoryTree, Node, written

# How often a job looks for changed words of categories.
WORDS_SECONDS = 5.0
# An ad is locked while its batch is written.
ADS_AT_ONCE = 200


class ChangeKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Change:
    slug: str
    step: ChangeKind
    # Those of the definition that have changed.
    members: tuple[str, ...] = ()


async def put(
    transaction: Transaction,
    slug: str,
    definition: CategoryDefinition,
    *,
    actor: audit.Id,
    expected: Expected,
) -> Change:
    """Adds or changes one category, if it has the expected version.

    Raises `InvalidRequestError` for an unknown parent or for attributes that do not fit those above
    or below, `CategoryCycleError` for a category that would be its own ancestor.
    """
    if expected.exists:
        await category_rows.lock(transaction)
        try:
            expected.require((await written(transaction, slug)).version)
        except errors.CategoryNotFoundError:
            raise errors.PreconditionFailedError(None) from None
    [change] = await _apply(transaction, {slug: definition}, {slug: ""}, actor=actor)
    return change


async def load(
    transaction: Transaction,
    categories: Sequence[NamedCategory],
    *,
    actor: audit.Id,
    dry_run: bool = False,
) -> list[Change]:
    """Adds or changes all categories of a list, in any order. Returns the changes in its order.

    Categories that are not in the list stay as they are. The pointers of faults are those of
    `schemas.categories.CategoryFile`. With `dry_run` nothing is written.
    """
    pointers = {named.slug: f"/categories/{number}" for number, named in enumerate(categories)}
    definitions = {named.slug: named for named in categories}
    return await _apply(transaction, definitions, pointers, actor=actor, dry_run=dry_run)


async def delete(
    transaction: Transaction, slug: str, *, actor: audit.Id, expected: Expected
) -> None:
    if expected.versions is not None:
        await category_rows.lock(transaction)
        expected.require((await written(transaction, slug)).version)
    deleted = await category_rows.delete_category(transaction, slug)
    if deleted is None:
        raise errors.CategoryNotFoundError
    if not deleted:
        raise errors.CategoryInUseError
    transaction.announce(InvalidationKind.CATEGORY)
    audit.record(transaction, AuditKind.CATEGORY_DELETED, actor=actor, target=slug)


async def move_ads(
    transaction: Transaction, source: str, target: str, *, actor: audit.Id, dry_run: bool = False
) -> MovedAds:
    """Moves the next ads of one category to another; with `dry_run` it only counts them.

    Attributes that the target does not define, or does not take, are removed.
    """
    tree = CategoryTree.of_rows(await category_rows.tree(transaction))
    if source not in tree.nodes:
        raise errors.CategoryNotFoundError
    if target not in tree.nodes or target == source:
        raise errors.InvalidRequestError(faults.unknown("must be another category").at("/to"))
    before, after = tree.nodes[source].id, tree.nodes[target].id
    assert before and after  # noqa: S101, PT018 - they are stored
    moved = {}
    if not dry_run:
        ads = await category_rows.ads_of(transaction, before, ADS_AT_ONCE)
        rules = tree.rules(target)
        fitting = {ad_id: rules.fitting(attributes) for ad_id, attributes in ads.items()}
        moved = {ad_id: (values, rules.words(values)) for ad_id, values in fitting.items()}
        await category_rows.move_ads(transaction, after, moved)
    remaining = await category_rows.count_ads(transaction, before)
    if not (dry_run or remaining):
        audit.record(transaction, AuditKind.CATEGORY_CHANGED, actor=actor, target=source)
    return MovedAds(moved=len(moved), remaining=remaining)


async def _apply(
    transaction: Transaction,
    definitions: Mapping[str, CategoryDefinition],
    pointers: Mapping[str, str],
    *,
    actor: audit.Id,
    dry_run: bool = False,
) -> list[Change]:
    await category_rows.lock(transaction)
    before = CategoryTree.of_rows(await category_rows.tree(transaction))
    after = _planned(before, definitions, pointers)
    changes = [_change(before.nodes.get(slug), after.nodes[slug]) for slug in definitions]
    if dry_run:
        return changes
    steps = {change.slug: change.step for change in changes}
    ids = {slug: node.id for slug, node in before.nodes.items()}
    # Parents before their children, which refer to them by id.
    for node in after.below(None):
        step = steps.get(node.slug, ChangeKind.UNCHANGED)
        if step is ChangeKind.UNCHANGED:
            continue
        values, parent = definitions[node.slug].stored(), ids.get(node.parent or "")
        if node.id is None:
            ids[node.slug] = await category_rows.add(transaction, node.slug, parent, values)
        else:
            await category_rows.update_category(transaction, node.id, parent, values)
        audit.record(transaction, AuditKind.CATEGORY_CHANGED, actor=actor, target=node.slug)
    if any(step is not ChangeKind.UNCHANGED for step in steps.values()):
        transaction.announce(InvalidationKind.CATEGORY)
    return changes


def _planned(
    before: CategoryTree,
    definitions: Mapping[str, CategoryDefinition],
    pointers: Mapping[str, str],
) -> CategoryTree:
    """The tree after the changes, if it is valid."""
    nodes = dict(before.nodes)
    for slug, definition in definitions.items():
        known = before.nodes.get(slug)
        nodes[slug] = Node.of_definition(slug, definition, known.id if known else None)
    after = CategoryTree(nodes)
    found = [
        faults.unknown("there is no such category").at(f"{pointers[slug]}/parent")
        for slug, definition in definitions.items()
        if definition.parent is not None and definition.parent not in nodes
    ]
    if len(nodes) > MOST_CATEGORIES:
        found.append(faults.wrong_count("categories", upper=MOST_CATEGORIES))
    # Categories below an unknown parent, or in a circle, are not visited.
    found += _faults_of_attributes(after, pointers)
    if found:
        raise errors.InvalidRequestError(*found)
    reached = {node.slug for node in after.below(None)}
    if len(reached) < len(nodes):
        # A category below no root is in a circle, or below one.
        raise errors.CategoryCycleError
    return after


def _faults_of_attributes(after: CategoryTree, pointers: Mapping[str, str]) -> Iterator[Fault]:
    """Faults for names that a category and an ancestor both define, if this change causes it."""
    for node in after.below(None):
        above = after.path(node.slug)[:-1]
        changed = [one.slug for one in (*above, node) if one.slug in pointers]
        if not changed:
            continue
        inherited = {attribute.name for one in above for attribute in one.own}
        if len(inherited) + len(node.own) > MOST_ATTRIBUTES:
            place = f"{pointers[changed[-1]]}/attributes"
            detail = f"with those above it is more than {MOST_ATTRIBUTES}"
            yield faults.wrong_count("attributes", upper=MOST_ATTRIBUTES, detail=detail).at(place)
        for number, attribute in enumerate(node.own):
            if attribute.name not in inherited:
                continue
            if node.slug in pointers:
                place = f"{pointers[node.slug]}/attributes/{number}/name"
                detail = "an ancestor defines it already"
            else:
                place = f"{pointers[changed[-1]]}/attributes"
                detail = f"{attribute.name} is defined below, in {node.slug}"
            yield Fault(FaultCode.DUPLICATE, detail, pointer=place)


def _change(before: Node | None, after: Node) -> Change:
    if before is None:
        return Change(after.slug, ChangeKind.ADDED)
    pairs = {
        "parent": before.parent == after.parent,
        "name": before.name == after.name,
        "names": before.names == after.names,
        "synonyms": before.synonyms == after.synonyms,
        "position": before.position == after.position,
        "icon": before.icon == after.icon,
        "color": before.color == after.color,
        "attributes": before.own == after.own,
    }
    members = tuple(name for name, same in pairs.items() if not same)
    return Change(after.slug, ChangeKind.CHANGED if members else ChangeKind.UNCHANGED, members)


async def add_words(database: Database) -> int:
    """Adds the changed words of categories to the ads that are there; returns how many these are.

    It works half of the time: a category may have most of all ads.
    """
    total = 0
    while True:
        began = time.monotonic()
        done = await reword_ads(database.writer, ADS_AT_ONCE)
        if done is None:
            return total
        total += done
        await asyncio.sleep(time.monotonic() - began if done else 0)


def starter_text(tree: StarterTree) -> str:
    return (files("adsvc.services.categories") / "starters" / f"{tree}.yaml").read_text("utf-8")


def starter(tree: StarterTree) -> list[NamedCategory]:
    """None for the empty tree."""
    if tree is StarterTree.EMPTY:
        return []
    return CategoryFile.model_validate(parsed(starter_text(tree), tree)).categories


def parsed(text: str, name: str) -> object:
    """YAML 1.2, which includes JSON. `OperatorError` says what is wrong in the file."""
    # Only set-up and commands read such files.
    from ruamel.yaml import YAML  # noqa: PLC0415
    from ruamel.yaml.composer import Composer, ComposerError  # noqa: PLC0415
    from ruamel.yaml.constructor import DuplicateKeyError, SafeConstructor  # noqa: PLC0415
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415
    from ruamel.yaml.events import AliasEvent  # noqa: PLC0415

    class WithoutAliases(Composer):
        def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - as ruamel.yaml
            """Refuses aliases, by which a small file stands for a huge document."""
            if self.parser.check_event(AliasEvent):
                problem = "aliases are not taken; write the value out"
                raise ComposerError(None, None, problem, self.parser.peek_event().start_mark)
            return super().compose_node(parent, index)

    class WithoutDates(SafeConstructor):
        """Leaves dates as text, as JSON has them."""

    WithoutDates.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)

    loader = YAML(typ="safe", pure=True)
    loader.Composer, loader.Constructor = WithoutAliases, WithoutDates
    try:
        found: object = loader.load(text)
    except MarkedYAMLError as error:
        mark, problem = error.problem_mark, error.problem
        if isinstance(error, DuplicateKeyError):
            problem = "a key stands here twice"
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise OperatorError(f"{name}, {where}{problem}.") from None
    except (YAMLError, RecursionError, ValueError):
        raise OperatorError(f"{name} is no YAML that can be read.") from None
    return found
