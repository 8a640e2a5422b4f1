"""The seam between the service and what answers its searches."""

from typing import Protocol

from adsvc.kit.db.statements import Statements
from adsvc.repositories.ads.criteria import AdFilter, Key, Sort
from adsvc.repositories.ads.facets import CellRequest, FacetRequest, Facets
from adsvc.repositories.ads.listing import Listing


class SearchBackend(Protocol):
    """Answers filters with `AdFilter.is_search`. PostgreSQL does it in the module `repository`.

    Records, cursors and the order of a page do not depend on the backend, so a page may be answered
    by one and the next page by another.
    """

    async def page(
        self, db: Statements, ads: AdFilter, sort: Sort, limit: int, after: Key | None, bound: int
    ) -> Listing:
        """The matches that follow the key `after` in that order, at most `limit`."""

    async def facets(
        self, db: Statements, ads: AdFilter, counted: FacetRequest, bound: int
    ) -> Facets:
        """Counts of the newest matches, at least `bound` of them if there are as many."""

    async def cells(
        self, db: Statements, ads: AdFilter, cells: CellRequest, bound: int
    ) -> tuple[str, bool]:
        """The same as a list of `schemas.finding.MapCell` in JSON, and whether all were counted."""
