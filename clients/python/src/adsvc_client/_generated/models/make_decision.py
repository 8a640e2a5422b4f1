from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.decision_ground import DecisionGround, check_decision_ground
from ..models.make_decision_action import MakeDecisionAction, check_make_decision_action
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="MakeDecision")


@_attrs_define
class MakeDecision(Record):
    """A decision about a case. Every action except `dismiss` needs `ground` and `explanation`.

    Attributes:
        action (MakeDecisionAction): `dismiss`: nothing is done, and a hidden ad is shown again. `suspendAd`: the ad is
            hidden; a change by its author opens the case again. `removeAd`, `removeComment`: it is removed.
            `removeMessage`: its receiver no longer sees what it says. `removeRating`: only its author sees it, and it no
            longer counts. `suspendAccount`: the author's account is suspended.
        ground (DecisionGround | Unset): What a decision rests on: the law, or the terms of the site.
        explanation (str | Unset): The reasons. The person concerned receives them.
        reference (str | Unset): The paragraph of the law or of the terms that was broken.
        days (int | Unset): Only with `suspendAccount`: for how many days. Without it, until the decision is undone.
    """

    action: MakeDecisionAction
    ground: DecisionGround | Unset = UNSET
    explanation: str | Unset = UNSET
    reference: str | Unset = UNSET
    days: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        action: str = self.action

        ground: str | Unset = UNSET
        if not isinstance(self.ground, Unset):
            ground = self.ground

        explanation = self.explanation

        reference = self.reference

        days = self.days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
            }
        )
        if ground is not UNSET:
            field_dict["ground"] = ground
        if explanation is not UNSET:
            field_dict["explanation"] = explanation
        if reference is not UNSET:
            field_dict["reference"] = reference
        if days is not UNSET:
            field_dict["days"] = days

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        action = check_make_decision_action(d.pop("action"))

        _ground = d.pop("ground", UNSET)
        ground: DecisionGround | Unset
        if isinstance(_ground, Unset):
            ground = UNSET
        else:
            ground = check_decision_ground(_ground)

        explanation = d.pop("explanation", UNSET)

        reference = d.pop("reference", UNSET)

        days = d.pop("days", UNSET)

        make_decision = cls(
            action=action,
            ground=ground,
            explanation=explanation,
            reference=reference,
            days=days,
        )

        make_decision.additional_properties = d
        return make_decision

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
