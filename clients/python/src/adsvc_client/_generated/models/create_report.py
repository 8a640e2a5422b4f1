from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.report_reason import ReportReason, check_report_reason
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="CreateReport")


@_attrs_define
class CreateReport(Record):
    """A report of an ad, a comment, a message or a rating.

    Attributes:
        reason (ReportReason): What is wrong with a reported ad or comment.
        text (str | Unset): What is wrong, in the reporter's words. Moderators read it; the person reported does not.
    """

    reason: ReportReason
    text: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        reason: str = self.reason

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "reason": reason,
            }
        )
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        reason = check_report_reason(d.pop("reason"))

        text = d.pop("text", UNSET)

        create_report = cls(
            reason=reason,
            text=text,
        )

        create_report.additional_properties = d
        return create_report

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
