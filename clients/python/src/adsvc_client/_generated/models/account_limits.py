from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.limit_left import LimitLeft


T = TypeVar("T", bound="AccountLimits")


@_attrs_define
class AccountLimits(Record):
    """The limits of the caller's plan, and what is left of them.

    Attributes:
        plan (str): The plan of the account, which decides its limits: one of `GET /site`.
        results (list[LimitLeft]): The limits.
    """

    plan: str
    results: list[LimitLeft]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        plan = self.plan

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "plan": plan,
                "results": results,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.limit_left import LimitLeft  # noqa: PLC0415

        d = dict(src_dict)
        plan = d.pop("plan")

        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = LimitLeft.from_dict(results_item_data)

            results.append(results_item)

        account_limits = cls(
            plan=plan,
            results=results,
        )

        account_limits.additional_properties = d
        return account_limits

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
