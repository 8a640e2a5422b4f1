"""Which ads a listing has."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from adsvc.models import AdStatus, PriceType
from adsvc.repositories.ads.attributes import AttributeFilter, Branch
from adsvc.repositories.ads.places.shapes import Box, Circle
from adsvc.repositories.ads.terms import Terms

ALL_STATUSES = tuple(AdStatus)


@dataclass(frozen=True, slots=True)
class AdFilter:
    terms: Terms | None = None
    min_price: int | None = None
    max_price: int | None = None
    author: int | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    near: Circle | None = None
    box: Box | None = None
    category: Branch | None = None
    # All of them; of one name there may be several.
    attributes: tuple[AttributeFilter, ...] | None = None
    price_type: PriceType | None = None
    # None for what everybody sees.
    statuses: tuple[AdStatus, ...] | None = None

    @property
    def is_search(self) -> bool:
        """Whether the ads are to be found by the index of words and attributes, or by place."""
        asked = (self.terms, self.category, self.attributes, self.price_type, self.near, self.box)
        return any(value is not None for value in asked)

    @property
    def only_place(self) -> bool:
        return self == AdFilter(near=self.near, box=self.box)

    @property
    def given(self) -> dict[str, Any]:
        """Those that restrict something, in the order of their names."""
        names = sorted(field.name for field in fields(self))
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in {None, ALL_STATUSES}}

    @property
    def impossible(self) -> bool:
        """Whether nothing can match. To find that out, PostgreSQL would look through everything."""
        if self.min_price is not None and self.max_price is not None:
            impossible = self.min_price > self.max_price
        else:
            impossible = False
        if self.created_after is not None and self.created_before is not None:
            impossible |= self.created_after >= self.created_before
        return impossible or any(wanted.impossible for wanted in self.attributes or ())

    @property
    def only_author(self) -> bool:
        """Whether it picks out all ads, or all of one author: how many is known beforehand."""
        return self.statuses in {None, ALL_STATUSES} and self == AdFilter(
            author=self.author, statuses=self.statuses
        )

    @property
    def is_everything(self) -> bool:
        """Whether it picks out all that everybody sees."""
        return self == AdFilter()
