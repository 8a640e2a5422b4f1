from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.decision_ground import DecisionGround, check_decision_ground
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="Statement")


@_attrs_define
class Statement(Record):
    """The reasons for suspending an account. Its owner receives them.

    Attributes:
        ground (DecisionGround): What a decision rests on: the law, or the terms of the site.
        explanation (str): The reasons. The person concerned receives them.
        reference (str | Unset): The paragraph of the law or of the terms that was broken.
        days (int | Unset): For how many days the account is suspended. Without it, until it is restored.
    """

    ground: DecisionGround
    explanation: str
    reference: str | Unset = UNSET
    days: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ground: str = self.ground

        explanation = self.explanation

        reference = self.reference

        days = self.days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ground": ground,
                "explanation": explanation,
            }
        )
        if reference is not UNSET:
            field_dict["reference"] = reference
        if days is not UNSET:
            field_dict["days"] = days

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ground = check_decision_ground(d.pop("ground"))

        explanation = d.pop("explanation")

        reference = d.pop("reference", UNSET)

        days = d.pop("days", UNSET)

        statement = cls(
            ground=ground,
            explanation=explanation,
            reference=reference,
            days=days,
        )

        statement.additional_properties = d
        return statement

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
