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
    from ..models.case_author import CaseAuthor
    from ..models.case_report import CaseReport
    from ..models.current_thing import CurrentThing
    from ..models.made_decision import MadeDecision
    from ..models.snapshot import Snapshot


T = TypeVar("T", bound="Case")


@_attrs_define
class Case(Record):
    """A case with its reports and the history of the author.

    Attributes:
        id (int): The case's id.
        status (CaseStatus): Where a case stands: `open` (reported), `decided`, or `appealed` (decided, with an appeal
            that waits for another decision).
        kind (CaseKind): What was reported.
        target (int): The id of the reported ad, comment, message or rating.
        ad (int): The id of the reported ad, or of the ad that the comment or the conversation is about.
        author (CaseAuthor | None): Who wrote the reported thing. Null for a rating whose author was deleted before it
            was reported.
        reports (list[CaseReport]): The reports, the earliest first; at most a thousand.
        reasons (list[ReportReason]): What is wrong by the reports, the most frequent reason first. Empty if there are
            none.
        snapshot (Snapshot): What an ad, a comment, a message or a rating said at a moment. Of comments, messages and
            ratings only `text` is set, of ratings `stars`, and of reported messages `messages`; a list of
            cases has neither of a message.
        created_at (int): When it was first reported, in milliseconds since 1970-01-01T00:00Z.
        appeal (None | str): The text of the appeal against the decision. Null if there is none.
        current (CurrentThing | None): What the thing says now. Null if it was deleted, or is a comment or a message
            that was removed.
        decisions (list[MadeDecision]): The decisions in this case, the newest first.
    """

    id: int
    status: CaseStatus
    kind: CaseKind
    target: int
    ad: int
    author: CaseAuthor | None
    reports: list[CaseReport]
    reasons: list[ReportReason]
    snapshot: Snapshot
    created_at: int
    appeal: None | str
    current: CurrentThing | None
    decisions: list[MadeDecision]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.case_author import CaseAuthor  # noqa: PLC0415
        from ..models.current_thing import CurrentThing  # noqa: PLC0415

        id = self.id

        status: str = self.status

        kind: str = self.kind

        target = self.target

        ad = self.ad

        author: dict[str, Any] | None
        if isinstance(self.author, CaseAuthor):
            author = self.author.to_dict()
        else:
            author = self.author

        reports = []
        for reports_item_data in self.reports:
            reports_item = reports_item_data.to_dict()
            reports.append(reports_item)

        reasons = []
        for reasons_item_data in self.reasons:
            reasons_item: str = reasons_item_data
            reasons.append(reasons_item)

        snapshot = self.snapshot.to_dict()

        created_at = self.created_at

        appeal: None | str
        appeal = self.appeal

        current: dict[str, Any] | None
        if isinstance(self.current, CurrentThing):
            current = self.current.to_dict()
        else:
            current = self.current

        decisions = []
        for decisions_item_data in self.decisions:
            decisions_item = decisions_item_data.to_dict()
            decisions.append(decisions_item)

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
                "current": current,
                "decisions": decisions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.case_author import CaseAuthor  # noqa: PLC0415
        from ..models.case_report import CaseReport  # noqa: PLC0415
        from ..models.current_thing import CurrentThing  # noqa: PLC0415
        from ..models.made_decision import MadeDecision  # noqa: PLC0415
        from ..models.snapshot import Snapshot  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = check_case_status(d.pop("status"))

        kind = check_case_kind(d.pop("kind"))

        target = d.pop("target")

        ad = d.pop("ad")

        def _parse_author(data: object) -> CaseAuthor | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                author_type_0 = CaseAuthor.from_dict(data)

                return author_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CaseAuthor | None, data)

        author = _parse_author(d.pop("author"))

        reports = []
        _reports = d.pop("reports")
        for reports_item_data in _reports:
            reports_item = CaseReport.from_dict(reports_item_data)

            reports.append(reports_item)

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

        def _parse_current(data: object) -> CurrentThing | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                current_type_0 = CurrentThing.from_dict(data)

                return current_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CurrentThing | None, data)

        current = _parse_current(d.pop("current"))

        decisions = []
        _decisions = d.pop("decisions")
        for decisions_item_data in _decisions:
            decisions_item = MadeDecision.from_dict(decisions_item_data)

            decisions.append(decisions_item)

        case = cls(
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
            current=current,
            decisions=decisions,
        )

        case.additional_properties = d
        return case

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
