from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.ad_decision import AdDecision


T = TypeVar("T", bound="DecidedAds")


@_attrs_define
class DecidedAds(Record):
    """What a decision about many ads does, or with `dryRun` would do.

    Attributes:
        changed (int): How many ads are changed.
        skipped (int): How many stay as they are.
        results (list[AdDecision]): Each ad, by id.
    """

    changed: int
    skipped: int
    results: list[AdDecision]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        changed = self.changed

        skipped = self.skipped

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "changed": changed,
                "skipped": skipped,
                "results": results,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad_decision import AdDecision  # noqa: PLC0415

        d = dict(src_dict)
        changed = d.pop("changed")

        skipped = d.pop("skipped")

        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = AdDecision.from_dict(results_item_data)

            results.append(results_item)

        decided_ads = cls(
            changed=changed,
            skipped=skipped,
            results=results,
        )

        decided_ads.additional_properties = d
        return decided_ads

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
