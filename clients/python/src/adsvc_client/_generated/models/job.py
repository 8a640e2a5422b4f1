from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.job_name import JobName, check_job_name
from ..types import Record

T = TypeVar("T", bound="Job")


@_attrs_define
class Job(Record):
    """A regular job.

    Attributes:
        name (JobName): The job's name.
        last_success (int | None): When it last succeeded, in milliseconds since 1970-01-01T00:00Z. Null if it never
            did.
        last_failure (int | None): When it last failed, in milliseconds since 1970-01-01T00:00Z. Null if it never did.
        running (bool): Whether it runs now, or a run is requested. JobList that take milliseconds are not seen running.
    """

    name: JobName
    last_success: int | None
    last_failure: int | None
    running: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name: str = self.name

        last_success: int | None
        last_success = self.last_success

        last_failure: int | None
        last_failure = self.last_failure

        running = self.running

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "lastSuccess": last_success,
                "lastFailure": last_failure,
                "running": running,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = check_job_name(d.pop("name"))

        def _parse_last_success(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_success = _parse_last_success(d.pop("lastSuccess"))

        def _parse_last_failure(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_failure = _parse_last_failure(d.pop("lastFailure"))

        running = d.pop("running")

        job = cls(
            name=name,
            last_success=last_success,
            last_failure=last_failure,
            running=running,
        )

        job.additional_properties = d
        return job

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
