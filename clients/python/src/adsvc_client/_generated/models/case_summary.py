from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.case_kind import CaseKind, check_case_kind
from ..models.case_status import CaseStatus, check_case_status
from ..models.report_reason import ReportReason, check_report_reason
from ..types import Record

if TYPE_CHECKING:
    from ..models.snapshot import Snapshot


T = TypeVar("T", bound="CaseSummary")


@_attrs_define
class CaseSummary(Record):
    """A case in a list: all reports of one ad or comment.

    Attributes:
        id (int): The case's id.
        status (CaseStatus): Where a case stands: `open` (reported), `decided`, or `appealed` (decided, with an appeal
            that waits for another decision).
        kind (CaseKind): What was reported.
        target (int): The id of the reported ad, comment, message or rating.
        ad (int): The id of the reported ad, or of the ad that the comment or the conversation is about.
        author (int | None): The id of the account that wrote the reported thing. Null for a rating whose author was
            deleted before it was reported.
        reports (int): How many reports count.
        reasons (list[ReportReason]): What is wrong by the reports, the most frequent reason first. Empty if there are
            none.
        snapshot (Snapshot): What an ad, a comment, a message or a rating said at a moment. Of comments, messages and
            ratings only `text` is set, of ratings `stars`, and of reported messages `messages`; a list of
            cases has neither of a message.
        created_at (int): When it was first reported, in milliseconds since 1970-01-01T00:00Z.
        appeal (None | str): The text of the appeal against the decision. Null if there is none.
    """

    id: int
    status: CaseStatus
    kind: CaseKind
    target: int
    ad: int
    author: int | None
    reports: int
    reasons: list[ReportReason]
    snapshot: Snapshot
    created_at: int
    appeal: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        status: str = self.status

        kind: str = self.kind

        target = self.target

        ad = self.ad

        author: int | None
        author = self.author

        reports = self.reports

        reasons = []
        for reasons_item_data in self.reasons:
            reasons_item: str = reasons_item_data
            reasons.append(reasons_item)

        snapshot = self.snapshot.to_dict()

        created_at = self.created_at

        appeal: None | str
        appeal = self.appeal

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "status": status,
                "kind": kind,
                "target": target,
                "ad": ad,
                "author": author,
                "reports": reports,
                "reasons": reasons,
                "snapshot": snapshot,
                "createdAt": created_at,
                "appeal": appeal,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.snapshot import Snapshot  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = check_case_status(d.pop("status"))

        kind = check_case_kind(d.pop("kind"))

        target = d.pop("target")

        ad = d.pop("ad")

        def _parse_author(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        author = _parse_author(d.pop("author"))

        reports = d.pop("reports")

        reasons = []
        _reasons = d.pop("reasons")
        for reasons_item_data in _reasons:
            reasons_item = check_report_reason(reasons_item_data)

            reasons.append(reasons_item)

        snapshot = Snapshot.from_dict(d.pop("snapshot"))

        created_at = d.pop("createdAt")

        def _parse_appeal(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        appeal = _parse_appeal(d.pop("appeal"))

        case_summary = cls(
            id=id,
            status=status,
            kind=kind,
            target=target,
            ad=ad,
            author=author,
            reports=reports,
            reasons=reasons,
            snapshot=snapshot,
            created_at=created_at,
            appeal=appeal,
        )

        case_summary.additional_properties = d
        return case_summary

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
