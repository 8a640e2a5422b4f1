from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.imported_row_status import ImportedRowStatus, check_imported_row_status
from ..types import Record

if TYPE_CHECKING:
    from ..models.fault_detail import FaultDetail


T = TypeVar("T", bound="ImportedRow")


@_attrs_define
class ImportedRow(Record):
    """What became of a row of a feed, or of an ad that the feed does not have.

    Attributes:
        row (int): The row's number, from 1, without the header of CSV. What the feed does not have is numbered after
            it.
        external_id (None | str): The ad's id in its author's own system. Null if it could not be read.
        status (ImportedRowStatus): What became of it.
        ad (int | None): The ad's id, if there is one.
        errors (list[FaultDetail]): Why it failed: pointers into the row as JSON.
    """

    row: int
    external_id: None | str
    status: ImportedRowStatus
    ad: int | None
    errors: list[FaultDetail]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        external_id: None | str
        external_id = self.external_id

        status: str = self.status

        ad: int | None
        ad = self.ad

        errors = []
        for errors_item_data in self.errors:
            errors_item = errors_item_data.to_dict()
            errors.append(errors_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "row": row,
                "externalId": external_id,
                "status": status,
                "ad": ad,
                "errors": errors,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.fault_detail import FaultDetail  # noqa: PLC0415

        d = dict(src_dict)
        row = d.pop("row")

        def _parse_external_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        external_id = _parse_external_id(d.pop("externalId"))

        status = check_imported_row_status(d.pop("status"))

        def _parse_ad(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ad = _parse_ad(d.pop("ad"))

        errors = []
        _errors = d.pop("errors")
        for errors_item_data in _errors:
            errors_item = FaultDetail.from_dict(errors_item_data)

            errors.append(errors_item)

        imported_row = cls(
            row=row,
            external_id=external_id,
            status=status,
            ad=ad,
            errors=errors,
        )

        imported_row.additional_properties = d
        return imported_row

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
