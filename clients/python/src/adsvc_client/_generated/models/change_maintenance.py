from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_maintenance_mode import ChangeMaintenanceMode, check_change_maintenance_mode
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="ChangeMaintenance")


@_attrs_define
class ChangeMaintenance(Record):
    """Closes the site, or only changes, or opens it again.

    Attributes:
        mode (ChangeMaintenanceMode): `off`: the site is open. `read-only`: changes are refused with 503 `maintenance`.
            `on`: so is all else. Administrators, logins and health checks get through.
        text (str | Unset): What users read. Empty for a text of the service.
        retry_after (int | Unset): After so many seconds clients may try again.
    """

    mode: ChangeMaintenanceMode
    text: str | Unset = UNSET
    retry_after: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        mode: str = self.mode

        text = self.text

        retry_after = self.retry_after

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "mode": mode,
            }
        )
        if text is not UNSET:
            field_dict["text"] = text
        if retry_after is not UNSET:
            field_dict["retryAfter"] = retry_after

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mode = check_change_maintenance_mode(d.pop("mode"))

        text = d.pop("text", UNSET)

        retry_after = d.pop("retryAfter", UNSET)

        change_maintenance = cls(
            mode=mode,
            text=text,
            retry_after=retry_after,
        )

        change_maintenance.additional_properties = d
        return change_maintenance

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
