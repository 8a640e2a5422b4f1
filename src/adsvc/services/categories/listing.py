"""The tree as clients see it."""

from collections.abc import Mapping

from adsvc.db.database import Transaction
from adsvc.db.read_pool import Reader
from adsvc.errors import CategoryNotFoundError
from adsvc.repositories import CategoryReadRepository, CategoryRepository
from adsvc.schemas.ads.categories import Categories, Category, CategoryAttribute
from adsvc.services.categories.tree import CategoryTree, Node
from adsvc.versions import Written, version_of


async def categories(reader: Reader, tree: CategoryTree) -> Categories:
    counts = _totals(tree, await CategoryReadRepository(reader).counts())
    return Categories(results=[_record(tree, node, counts) for node in tree.below(None)])


async def category(reader: Reader, tree: CategoryTree, slug: str) -> Category:
    """One that the tree has."""
    counts = _totals(tree, await CategoryReadRepository(reader).counts())
    return _record(tree, tree.nodes[slug], counts)


async def written(transaction: Transaction, slug: str) -> Written:
    """`schemas.ads.categories.Category`, as the transaction leaves it.

    Raises `CategoryNotFoundError`.
    """
    categories = CategoryRepository(transaction.session)
    tree = CategoryTree.of_rows(await categories.tree())
    if slug not in tree.nodes:
        raise CategoryNotFoundError
    record = _record(tree, tree.nodes[slug], _totals(tree, await categories.counts()))
    text = record.model_dump_json(by_alias=True)
    return Written(text, version_of(text.encode()))


def _totals(tree: CategoryTree, own: Mapping[int, int]) -> Mapping[str, int]:
    """Each with those below it."""
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
        position=node.position,
        attributes=attributes,
        count=counts[node.slug],
    )
