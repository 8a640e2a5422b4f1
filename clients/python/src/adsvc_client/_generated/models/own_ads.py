from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.ad import Ad
    from ..models.own_ads_counts import OwnAdsCounts
    from ..models.relaxed import Relaxed


T = TypeVar("T", bound="OwnAds")


@_attrs_define
class OwnAds(Record):
    """A page of the caller's ads.

    Attributes:
        count (int): How many ads match, on all pages together; at least so many where `countExact` is false.
        count_exact (bool): False if there may be more than `count` matches: counting stops after a while. Without
            filters the count is always exact.
        results (list[Ad]): The ads of this page. A page of a search may have fewer than `limit`, even none, while
            `next` is not null.
        next_ (None | str): Send this as `cursor` to get the next page. Null on the last page.
        relaxed (list[Relaxed] | Unset): What was changed in `q`, because nothing matches it with these filters, or
            because it has more words than are searched for. Each page has it. Absent if nothing was changed, and with
            `Prefer: handling=strict`.
        understood (str | Unset): With `relaxed`: the query that has these ads without being relaxed, for facets, maps,
            feeds and saved searches.
        suggestion (str | Unset): If nothing matches `q` and nothing was relaxed: the nearest query that has matches.
            Absent otherwise.
        counts (OwnAdsCounts | Unset): How many of the caller's ads have each status, whatever the filter; a status
            without ads is absent. Only on the first page.
    """

    count: int
    count_exact: bool
    results: list[Ad]
    next_: None | str
    relaxed: list[Relaxed] | Unset = UNSET
    understood: str | Unset = UNSET
    suggestion: str | Unset = UNSET
    counts: OwnAdsCounts | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        count_exact = self.count_exact

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        next_: None | str
        next_ = self.next_

        relaxed: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.relaxed, Unset):
            relaxed = []
            for relaxed_item_data in self.relaxed:
                relaxed_item = relaxed_item_data.to_dict()
                relaxed.append(relaxed_item)

        understood = self.understood

        suggestion = self.suggestion

        counts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.counts, Unset):
            counts = self.counts.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "countExact": count_exact,
                "results": results,
                "next": next_,
            }
        )
        if relaxed is not UNSET:
            field_dict["relaxed"] = relaxed
        if understood is not UNSET:
            field_dict["understood"] = understood
        if suggestion is not UNSET:
            field_dict["suggestion"] = suggestion
        if counts is not UNSET:
            field_dict["counts"] = counts

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.own_ads_counts import OwnAdsCounts  # noqa: PLC0415
        from ..models.relaxed import Relaxed  # noqa: PLC0415

        d = dict(src_dict)
        count = d.pop("count")

        count_exact = d.pop("countExact")

        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = Ad.from_dict(results_item_data)

            results.append(results_item)

        def _parse_next_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_ = _parse_next_(d.pop("next"))

        _relaxed = d.pop("relaxed", UNSET)
        relaxed: list[Relaxed] | Unset = UNSET
        if _relaxed is not UNSET:
            relaxed = []
            for relaxed_item_data in _relaxed:
                relaxed_item = Relaxed.from_dict(relaxed_item_data)

                relaxed.append(relaxed_item)

        understood = d.pop("understood", UNSET)

        suggestion = d.pop("suggestion", UNSET)

        _counts = d.pop("counts", UNSET)
        counts: OwnAdsCounts | Unset
        if isinstance(_counts, Unset):
            counts = UNSET
        else:
            counts = OwnAdsCounts.from_dict(_counts)

        own_ads = cls(
            count=count,
            count_exact=count_exact,
            results=results,
            next_=next_,
            relaxed=relaxed,
            understood=understood,
            suggestion=suggestion,
            counts=counts,
        )

        own_ads.additional_properties = d
        return own_ads

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
