from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_decision_skipped import AdDecisionSkipped, check_ad_decision_skipped
from ..types import Record

T = TypeVar("T", bound="AdDecision")


@_attrs_define
class AdDecision(Record):
    """What a decision about many ads does to one of them.

    Attributes:
        ad (int): The id of the ad.
        skipped (AdDecisionSkipped): Why it stays as it is. `missing`: there is no such ad. `own`: it is the caller's.
            `status`: only `active` and `reserved` ads are hidden, and only `suspended` ones shown again. `appealed`: its
            case has an appeal, to be decided by itself. `undecided`: it is hidden, but by no decision; decide its case.
            `ownDecision`: the caller decided it, so another moderator has to undo it. Null if it is changed.
        decision (int | None): The id of the decision. Null if there is none.
    """

    ad: int
    skipped: AdDecisionSkipped
    decision: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ad = self.ad

        skipped: str = self.skipped

        decision: int | None
        decision = self.decision

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ad": ad,
                "skipped": skipped,
                "decision": decision,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ad = d.pop("ad")

        skipped = check_ad_decision_skipped(d.pop("skipped"))

        def _parse_decision(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        decision = _parse_decision(d.pop("decision"))

        ad_decision = cls(
            ad=ad,
            skipped=skipped,
            decision=decision,
        )

        ad_decision.additional_properties = d
        return ad_decision

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
