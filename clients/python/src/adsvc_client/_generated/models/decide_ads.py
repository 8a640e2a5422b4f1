from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.decide_ads_action import DecideAdsAction, check_decide_ads_action
from ..models.decision_ground import DecisionGround, check_decision_ground
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="DecideAds")


@_attrs_define
class DecideAds(Record):
    """One decision about many ads. `suspendAd` needs `ground` and `explanation`.

    Attributes:
        action (DecideAdsAction): `suspendAd`: the ads are hidden. `restore`: the decisions that hide them are undone,
            and they are shown again.
        ads (list[int]): The ids of the ads.
        ground (DecisionGround | Unset): What a decision rests on: the law, or the terms of the site.
        explanation (str | Unset): The reasons. The person concerned receives them.
        reference (str | Unset): The paragraph of the law or of the terms that was broken.
        dry_run (bool | Unset): Whether only to return what would happen. Nothing is changed then.
    """

    action: DecideAdsAction
    ads: list[int]
    ground: DecisionGround | Unset = UNSET
    explanation: str | Unset = UNSET
    reference: str | Unset = UNSET
    dry_run: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        action: str = self.action

        ads = self.ads

        ground: str | Unset = UNSET
        if not isinstance(self.ground, Unset):
            ground = self.ground

        explanation = self.explanation

        reference = self.reference

        dry_run = self.dry_run

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
                "ads": ads,
            }
        )
        if ground is not UNSET:
            field_dict["ground"] = ground
        if explanation is not UNSET:
            field_dict["explanation"] = explanation
        if reference is not UNSET:
            field_dict["reference"] = reference
        if dry_run is not UNSET:
            field_dict["dryRun"] = dry_run

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        action = check_decide_ads_action(d.pop("action"))

        ads = cast(list[int], d.pop("ads"))

        _ground = d.pop("ground", UNSET)
        ground: DecisionGround | Unset
        if isinstance(_ground, Unset):
            ground = UNSET
        else:
            ground = check_decision_ground(_ground)

        explanation = d.pop("explanation", UNSET)

        reference = d.pop("reference", UNSET)

        dry_run = d.pop("dryRun", UNSET)

        decide_ads = cls(
            action=action,
            ads=ads,
            ground=ground,
            explanation=explanation,
            reference=reference,
            dry_run=dry_run,
        )

        decide_ads.additional_properties = d
        return decide_ads

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
