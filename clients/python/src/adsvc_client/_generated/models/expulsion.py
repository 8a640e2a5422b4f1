from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.decision_ground import DecisionGround, check_decision_ground
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="Expulsion")


@_attrs_define
class Expulsion(Record):
    """The reasons for removing all that an account has published. Its owner receives them.

    Attributes:
        ground (DecisionGround): What a decision rests on: the law, or the terms of the site.
        explanation (str): The reasons. The person concerned receives them.
        reference (str | Unset): The paragraph of the law or of the terms that was broken.
        dry_run (bool | Unset): Whether only to return what would be removed. Nothing is changed then.
    """

    ground: DecisionGround
    explanation: str
    reference: str | Unset = UNSET
    dry_run: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ground: str = self.ground

        explanation = self.explanation

        reference = self.reference

        dry_run = self.dry_run

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
        if dry_run is not UNSET:
            field_dict["dryRun"] = dry_run

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ground = check_decision_ground(d.pop("ground"))

        explanation = d.pop("explanation")

        reference = d.pop("reference", UNSET)

        dry_run = d.pop("dryRun", UNSET)

        expulsion = cls(
            ground=ground,
            explanation=explanation,
            reference=reference,
            dry_run=dry_run,
        )

        expulsion.additional_properties = d
        return expulsion

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
