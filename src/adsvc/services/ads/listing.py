"""Lists, facets, and one ad as a viewer may see it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn, Protocol

from adsvc.enums import AdStatus, AttributeType
from adsvc.errors import AdGoneError, AdNotFoundError
from adsvc.kit.db.statements import Statements
from adsvc.models.ads import SHOWN
from adsvc.repositories import deals
from adsvc.repositories.ads import listing as listing_rows
from adsvc.repositories.ads.criteria import AdFilter, Key, Sort
from adsvc.repositories.ads.facets import CellRequest, FacetRequest, Facets
from adsvc.repositories.ads.listing import Listing, OneAd
from adsvc.repositories.ads.search import repository as postgres
from adsvc.repositories.ads.search.backend import SearchBackend
from adsvc.repositories.ads.search.similar import SimilarListing, read_source, similar_to
from adsvc.schemas.categories import Attribute
from adsvc.schemas.finding import AdFacets, AttributeCount, CategoryCount, Month, PriceBand
from adsvc.services.categories.reading import CategoryTree


async def page(
    reader: Statements,
    ads: AdFilter,
    sort: Sort,
    *,
    limit: int,
    after: Key | None,
    bound: int,
    search: SearchBackend = postgres,
) -> Listing:
    """One page, and how many ads match: exactly for all ads and for one author, else up to `bound`.

    Beyond the bound the count is the bound and not exact. A search that has not read all matches
    has no exact count either; its page may be short and still have a next one.
    """
    if ads.impossible:
        return Listing([], [], None, 0, count_exact=True)
    if ads.is_search:
        matches = await search.page(reader, ads, sort, limit, after, bound)
        return matches.capped(bound)
    return await listing_rows.page(reader, ads, sort, limit, after, bound)


# The lowest price of each band but the first, in the usual steps of prices, in whole units.
PRICE_STEPS = (1, *(step * 10**zeros for zeros in range(1, 5) for step in (1, 2, 5)), 100_000)

# More attributes are not counted: each takes time, and no panel shows so many.
MOST_ATTRIBUTES = 20


def statements(ads: AdFilter, tree: CategoryTree) -> int:
    """How many searches the counts take."""
    return 1 + len(_filtered(ads, _facetable(ads, tree)))


async def facets(
    reader: Statements,
    ads: AdFilter,
    tree: CategoryTree,
    *,
    decimals: int,
    bound: int,
    search: SearchBackend = postgres,
) -> AdFacets:
    """Counts the newest matches, at most `bound`. `decimals` are those of prices.

    An attribute with a filter is counted without that filter. So are categories: those below the
    chosen one have only ads that the chosen one has too.
    """
    attributes = _facetable(ads, tree)
    filtered = _filtered(ads, attributes)
    others = [attribute for name, attribute in attributes.items() if name not in filtered]
    steps = [step * 10**decimals for step in PRICE_STEPS]
    found = await _counted(search, reader, ads, others, steps, bound)
    counts = {one.name: _counts(one, found) for one in others}
    for name in filtered:
        without = tuple(one for one in ads.attributes or () if one.name != name) or None
        own = await _counted(
            search, reader, replace(ads, attributes=without), [attributes[name]], steps, bound
        )
        counts[name] = _counts(attributes[name], own)
    return AdFacets(
        count=sum(count for _, count in found.months),
        count_exact=found.exact,
        prices=[
            PriceBand(
                min=steps[band - 1] if band else 0,
                max=steps[band] - 1 if band < len(steps) else None,
                count=n,
            )
            for band, n in found.prices
        ],
        months=[Month(month=month, count=n) for month, n in found.months],
        categories=list(_by_category(ads, tree, found.categories or {})),
        attributes={name: counts[name] for name in attributes},
    )


def _facetable(ads: AdFilter, tree: CategoryTree) -> Mapping[str, Attribute]:
    """The attributes of the chosen category that are counted, in their order."""
    if ads.category is None:
        return {}
    found = [one.attribute for one in tree.attributes(ads.category.root)]
    named = [attribute for attribute in found if attribute.facetable]
    return {attribute.name: attribute for attribute in named[:MOST_ATTRIBUTES]}


def _filtered(ads: AdFilter, attributes: Mapping[str, Attribute]) -> Sequence[str]:
    wanted = {attribute.name for attribute in ads.attributes or ()}
    return [name for name in attributes if name in wanted]


async def _counted(
    search: SearchBackend,
    reader: Statements,
    ads: AdFilter,
    attributes: Sequence[Attribute],
    steps: Sequence[int],
    bound: int,
) -> Facets:
    if ads.impossible:
        return Facets(exact=True)
    counted = FacetRequest(
        steps,
        choices=tuple(one.name for one in attributes if not one.type.is_number),
        numbers=tuple(one.name for one in attributes if one.type.is_number),
    )
    if ads.is_search:
        return await search.facets(reader, ads, counted, bound)
    return await listing_rows.facets(reader, ads, counted, bound)


def _by_category(
    ads: AdFilter, tree: CategoryTree, found: Mapping[int, int]
) -> Iterator[CategoryCount]:
    """Counts of each child, or of each root, with all categories below it."""
    for node in tree.children.get(ads.category.root if ads.category else None, []):
        count = sum(found.get(below.id or 0, 0) for below in tree.below(node.slug))
        yield CategoryCount(slug=node.slug, count=count)


def _counts(attribute: Attribute, found: Facets) -> list[AttributeCount]:
    """Leaves out values that the attribute does not define, or no longer defines."""
    if attribute.type.is_number:
        bands = (found.numbers or {}).get(attribute.name, ())
        return [AttributeCount(min=low, max=high, count=n) for low, high, n in bands]
    counts: list[tuple[Any, int]] = list((found.choices or {}).get(attribute.name, ()))
    match attribute.type:
        case AttributeType.ENUM:
            known = dict(pair for pair in counts if isinstance(pair[0], str))
            options = (option.value for option in attribute.options)
            counts = [(value, known[value]) for value in options if value in known]
        case AttributeType.BOOLEAN:
            counts = [pair for pair in counts if isinstance(pair[0], bool)]
        case _:
            counts = sorted(pair for pair in counts if isinstance(pair[0], str))
    return [AttributeCount(value=value, count=n) for value, n in counts]


async def cells(
    reader: Statements, ads: AdFilter, *, bound: int, search: SearchBackend = postgres
) -> tuple[str, bool]:
    """Counts the newest matches, at most `bound`, by cells of the filter's box.

    Returns the list of `schemas.finding.MapCell` as JSON, and whether all matches were counted.
    """
    if ads.box is None:
        raise AssertionError
    if ads.impossible:
        return "[]", True
    return await search.cells(reader, ads, CellRequest.of_box(ads.box), bound)


async def similar(reader: Statements, ad_id: int, tree: CategoryTree) -> SimilarListing:
    """Ads that are like one that everyone sees, or saw before it was sold or expired."""
    source = await read_source(reader, ad_id)
    if source is None or source.status not in {*SHOWN, *GONE}:
        raise AdNotFoundError
    node = tree.by_id.get(source.category)
    siblings = tree.children[node.parent] if node is not None and node.parent is not None else []
    sibling_ids = [sibling.id for sibling in siblings if sibling.id is not None]
    return await similar_to(reader, source, sibling_ids)


class Viewer(Protocol):
    @property
    def user_id(self) -> int: ...
    @property
    def is_admin(self) -> bool: ...


async def extended(reader: Statements, ad_id: int, viewer: Viewer, *, has_contact: bool) -> OneAd:
    """The ad as the viewer may see it, with its author's contact or for others without it.

    The author and administrators get it whatever its status, and its buyer when it is sold; only
    the author gets the exact point.
    """
    ad = await listing_rows.get_extended(reader, ad_id, has_contact=has_contact)
    if ad is not None and ad.author_id == viewer.user_id:
        # An ad's author never changes.
        ad = await listing_rows.get_own(reader, ad_id)
    elif ad is not None and not (
        viewer.is_admin
        or ad.is_shown
        or (ad.status == AdStatus.SOLD and await deals.is_buyer(reader, ad_id, viewer.user_id))
    ):
        raise_hidden(ad.status)
    if ad is None:
        raise AdNotFoundError
    return ad


async def details(reader: Statements, ad_id: int) -> OneAd:
    """The ad as everyone may see it."""
    ad = await listing_rows.get_details(reader, ad_id)
    if ad is None:
        raise AdNotFoundError
    if not ad.is_shown:
        raise_hidden(ad.status)
    if ad.price_before is None:
        return ad
    return ad._replace(record=f'{ad.record[:-1]},"priceBefore":{ad.price_before}}}')


# What everyone has seen, and what is over.
GONE = (AdStatus.SOLD, AdStatus.EXPIRED)


def raise_hidden(status: str) -> NoReturn:
    """Refuses an ad that is not shown, for everyone but its author and administrators."""
    if status in GONE:
        raise AdGoneError
    raise AdNotFoundError
