from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.report_reason import ReportReason, check_report_reason
from ..types import Record

if TYPE_CHECKING:
    from ..models.snapshot import Snapshot


T = TypeVar("T", bound="CaseReport")


@_attrs_define
class CaseReport(Record):
    """A report as moderators see it.

    Attributes:
        id (int): The report's id.
        reason (ReportReason): What is wrong with a reported ad or comment.
        text (str): What the reporter wrote; may be empty.
        at (int): When it was reported, in milliseconds since 1970-01-01T00:00Z.
        reporter (int | None): The id of the account that reported. Null if it was deleted since.
        counts (bool): Whether the report counts. Reports of accounts that were younger than a day, or are suspended, do
            not.
        decided (int): How many other cases that the account has reported are decided, of its newest 50.
        upheld (int): Of these, in how many cases something was restricted.
        snapshot (None | Snapshot): What the thing said at this report. Null if it was unchanged since the first report.
    """

    id: int
    reason: ReportReason
    text: str
    at: int
    reporter: int | None
    counts: bool
    decided: int
    upheld: int
    snapshot: None | Snapshot
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.snapshot import Snapshot  # noqa: PLC0415

        id = self.id

        reason: str = self.reason

        text = self.text

        at = self.at

        reporter: int | None
        reporter = self.reporter

        counts = self.counts

        decided = self.decided

        upheld = self.upheld

        snapshot: dict[str, Any] | None
        if isinstance(self.snapshot, Snapshot):
            snapshot = self.snapshot.to_dict()
        else:
            snapshot = self.snapshot

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "reason": reason,
                "text": text,
                "at": at,
                "reporter": reporter,
                "counts": counts,
                "decided": decided,
                "upheld": upheld,
                "snapshot": snapshot,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.snapshot import Snapshot  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        reason = check_report_reason(d.pop("reason"))

        text = d.pop("text")

        at = d.pop("at")

        def _parse_reporter(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        reporter = _parse_reporter(d.pop("reporter"))

        counts = d.pop("counts")

        decided = d.pop("decided")

        upheld = d.pop("upheld")

        def _parse_snapshot(data: object) -> None | Snapshot:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                snapshot_type_0 = Snapshot.from_dict(data)

                return snapshot_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Snapshot, data)

        snapshot = _parse_snapshot(d.pop("snapshot"))

        case_report = cls(
            id=id,
            reason=reason,
            text=text,
            at=at,
            reporter=reporter,
            counts=counts,
            decided=decided,
            upheld=upheld,
            snapshot=snapshot,
        )

        case_report.additional_properties = d
        return case_report

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
