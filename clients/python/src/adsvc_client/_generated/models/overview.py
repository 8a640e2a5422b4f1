from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.overview_failing_jobs_item import (
    OverviewFailingJobsItem,
    check_overview_failing_jobs_item,
)
from ..types import Record

if TYPE_CHECKING:
    from ..models.day_of_site import DayOfSite
    from ..models.disk import Disk
    from ..models.growth import Growth
    from ..models.outbox_figures import OutboxFigures
    from ..models.versions import Versions
    from ..models.waiting_cases import WaitingCases


T = TypeVar("T", bound="Overview")


@_attrs_define
class Overview(Record):
    """What waits, and what grows.

    Attributes:
        ads (Growth): How many there are, and how many are new.
        accounts (Growth): How many there are, and how many are new.
        cases (WaitingCases): Cases that wait for a moderator; at most 10000 are counted.
        outbox (OutboxFigures): What the outbox has; at most 10000 entries of each kind are counted.
        failing_jobs (list[OverviewFailingJobsItem]): JobList whose last run failed.
        backed_up_at (int | None): When the last complete backup ended, in milliseconds since 1970-01-01T00:00Z. Null if
            there was none.
        disks (list[Disk]): The disks of the process that answers, with a reserve.
        out_of_service (list[str]): Parts of the service that do not work now, as `GET /readyz` names them.
        versions (Versions): What runs.
        days (list[DayOfSite]): The last 30 days, the oldest first.
    """

    ads: Growth
    accounts: Growth
    cases: WaitingCases
    outbox: OutboxFigures
    failing_jobs: list[OverviewFailingJobsItem]
    backed_up_at: int | None
    disks: list[Disk]
    out_of_service: list[str]
    versions: Versions
    days: list[DayOfSite]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ads = self.ads.to_dict()

        accounts = self.accounts.to_dict()

        cases = self.cases.to_dict()

        outbox = self.outbox.to_dict()

        failing_jobs = []
        for failing_jobs_item_data in self.failing_jobs:
            failing_jobs_item: str = failing_jobs_item_data
            failing_jobs.append(failing_jobs_item)

        backed_up_at: int | None
        backed_up_at = self.backed_up_at

        disks = []
        for disks_item_data in self.disks:
            disks_item = disks_item_data.to_dict()
            disks.append(disks_item)

        out_of_service = self.out_of_service

        versions = self.versions.to_dict()

        days = []
        for days_item_data in self.days:
            days_item = days_item_data.to_dict()
            days.append(days_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ads": ads,
                "accounts": accounts,
                "cases": cases,
                "outbox": outbox,
                "failingJobs": failing_jobs,
                "backedUpAt": backed_up_at,
                "disks": disks,
                "outOfService": out_of_service,
                "versions": versions,
                "days": days,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.day_of_site import DayOfSite  # noqa: PLC0415
        from ..models.disk import Disk  # noqa: PLC0415
        from ..models.growth import Growth  # noqa: PLC0415
        from ..models.outbox_figures import OutboxFigures  # noqa: PLC0415
        from ..models.versions import Versions  # noqa: PLC0415
        from ..models.waiting_cases import WaitingCases  # noqa: PLC0415

        d = dict(src_dict)
        ads = Growth.from_dict(d.pop("ads"))

        accounts = Growth.from_dict(d.pop("accounts"))

        cases = WaitingCases.from_dict(d.pop("cases"))

        outbox = OutboxFigures.from_dict(d.pop("outbox"))

        failing_jobs = []
        _failing_jobs = d.pop("failingJobs")
        for failing_jobs_item_data in _failing_jobs:
            failing_jobs_item = check_overview_failing_jobs_item(failing_jobs_item_data)

            failing_jobs.append(failing_jobs_item)

        def _parse_backed_up_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        backed_up_at = _parse_backed_up_at(d.pop("backedUpAt"))

        disks = []
        _disks = d.pop("disks")
        for disks_item_data in _disks:
            disks_item = Disk.from_dict(disks_item_data)

            disks.append(disks_item)

        out_of_service = cast(list[str], d.pop("outOfService"))

        versions = Versions.from_dict(d.pop("versions"))

        days = []
        _days = d.pop("days")
        for days_item_data in _days:
            days_item = DayOfSite.from_dict(days_item_data)

            days.append(days_item)

        overview = cls(
            ads=ads,
            accounts=accounts,
            cases=cases,
            outbox=outbox,
            failing_jobs=failing_jobs,
            backed_up_at=backed_up_at,
            disks=disks,
            out_of_service=out_of_service,
            versions=versions,
            days=days,
        )

        overview.additional_properties = d
        return overview

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
