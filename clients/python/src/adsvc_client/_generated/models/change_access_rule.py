from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="ChangeAccessRule")


@_attrs_define
class ChangeAccessRule(Record):
    """Adds an access rule, replaces that of the same subject, or removes it.

    Attributes:
        subject (str): An address, a network, or `user:` and the id of an account.
        factor (int): What multiplies the rate limits of the network or the account. 0 refuses all requests from the
            network: 403 `network-refused`. Probes get through. 1 removes the rule.
        days (int | Unset): For how many days.
        note (str | Unset): Why; only administrators read it.
    """

    subject: str
    factor: int
    days: int | Unset = UNSET
    note: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        subject = self.subject

        factor = self.factor

        days = self.days

        note = self.note

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "subject": subject,
                "factor": factor,
            }
        )
        if days is not UNSET:
            field_dict["days"] = days
        if note is not UNSET:
            field_dict["note"] = note

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        subject = d.pop("subject")

        factor = d.pop("factor")

        days = d.pop("days", UNSET)

        note = d.pop("note", UNSET)

        change_access_rule = cls(
            subject=subject,
            factor=factor,
            days=days,
            note=note,
        )

        change_access_rule.additional_properties = d
        return change_access_rule

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
