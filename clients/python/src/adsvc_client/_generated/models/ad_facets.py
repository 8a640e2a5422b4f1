from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.ad_facets_attributes import AdFacetsAttributes
    from ..models.category_count import CategoryCount
    from ..models.month import Month
    from ..models.price_band import PriceBand


T = TypeVar("T", bound="AdFacets")


@_attrs_define
class AdFacets(Record):
    """Counts of the matching ads by price, month, category and attributes.

    Attributes:
        count (int): How many ads were counted.
        count_exact (bool): False if more ads match. Then only the newest ones were counted.
        prices (list[PriceBand]): Price bands, the lowest first. Bands without ads are left out, and ads on request are
            in none.
        months (list[Month]): Months, the earliest first. Months without ads are left out.
        categories (list[CategoryCount]): The children of the category in the filter; the roots of the tree if the
            filter has no category.
        attributes (AdFacetsAttributes): Counts by attribute name, for the first 20 facetable attributes of the category
            in the filter. An attribute that is itself filtered by is counted without that filter. Values without ads are
            left out.
    """

    count: int
    count_exact: bool
    prices: list[PriceBand]
    months: list[Month]
    categories: list[CategoryCount]
    attributes: AdFacetsAttributes
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        count_exact = self.count_exact

        prices = []
        for prices_item_data in self.prices:
            prices_item = prices_item_data.to_dict()
            prices.append(prices_item)

        months = []
        for months_item_data in self.months:
            months_item = months_item_data.to_dict()
            months.append(months_item)

        categories = []
        for categories_item_data in self.categories:
            categories_item = categories_item_data.to_dict()
            categories.append(categories_item)

        attributes = self.attributes.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "countExact": count_exact,
                "prices": prices,
                "months": months,
                "categories": categories,
                "attributes": attributes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad_facets_attributes import AdFacetsAttributes  # noqa: PLC0415
        from ..models.category_count import CategoryCount  # noqa: PLC0415
        from ..models.month import Month  # noqa: PLC0415
        from ..models.price_band import PriceBand  # noqa: PLC0415

        d = dict(src_dict)
        count = d.pop("count")

        count_exact = d.pop("countExact")

        prices = []
        _prices = d.pop("prices")
        for prices_item_data in _prices:
            prices_item = PriceBand.from_dict(prices_item_data)

            prices.append(prices_item)

        months = []
        _months = d.pop("months")
        for months_item_data in _months:
            months_item = Month.from_dict(months_item_data)

            months.append(months_item)

        categories = []
        _categories = d.pop("categories")
        for categories_item_data in _categories:
            categories_item = CategoryCount.from_dict(categories_item_data)

            categories.append(categories_item)

        attributes = AdFacetsAttributes.from_dict(d.pop("attributes"))

        ad_facets = cls(
            count=count,
            count_exact=count_exact,
            prices=prices,
            months=months,
            categories=categories,
            attributes=attributes,
        )

        ad_facets.additional_properties = d
        return ad_facets

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
