from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.case_kind import CaseKind, check_case_kind
from ..models.report_reason import ReportReason, check_report_reason
from ..types import Record

T = TypeVar("T", bound="ExportedReport")


@_attrs_define
class ExportedReport(Record):
    """A report that the account made.

    Attributes:
        id (int): The report's id.
        reason (ReportReason): What is wrong with a reported ad or comment.
        text (str): What the reporter wrote; may be empty.
        at (int): When it was reported, in milliseconds since 1970-01-01T00:00Z.
        kind (CaseKind): What was reported.
        target (int): The id of the reported ad, comment, message or rating.
    """

    id: int
    reason: ReportReason
    text: str
    at: int
    kind: CaseKind
    target: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        reason: str = self.reason

        text = self.text

        at = self.at

        kind: str = self.kind

        target = self.target

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "reason": reason,
                "text": text,
                "at": at,
                "kind": kind,
                "target": target,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        reason = check_report_reason(d.pop("reason"))

        text = d.pop("text")

        at = d.pop("at")

        kind = check_case_kind(d.pop("kind"))

        target = d.pop("target")

        exported_report = cls(
            id=id,
            reason=reason,
            text=text,
            at=at,
            kind=kind,
            target=target,
        )

        exported_report.additional_properties = d
        return exported_report

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
