from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.outbox_entry_status import OutboxEntryStatus, check_outbox_entry_status
from ..types import Record

T = TypeVar("T", bound="OutboxEntry")


@_attrs_define
class OutboxEntry(Record):
    """Work that follows from a change, such as a mail. What it says is not returned.

    Attributes:
        id (int): The entry's id.
        kind (str): What is to be done.
        status (OutboxEntryStatus): `waiting`: it will be tried. `dead`: it was given up.
        attempts (int): Attempts so far.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        not_before (int): When the next attempt may begin, if it waits, in milliseconds since 1970-01-01T00:00Z.
        error (None | str): Why the last attempt failed. Null if none did.
    """

    id: int
    kind: str
    status: OutboxEntryStatus
    attempts: int
    created_at: int
    not_before: int
    error: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind = self.kind

        status: str = self.status

        attempts = self.attempts

        created_at = self.created_at

        not_before = self.not_before

        error: None | str
        error = self.error

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "kind": kind,
                "status": status,
                "attempts": attempts,
                "createdAt": created_at,
                "notBefore": not_before,
                "error": error,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        kind = d.pop("kind")

        status = check_outbox_entry_status(d.pop("status"))

        attempts = d.pop("attempts")

        created_at = d.pop("createdAt")

        not_before = d.pop("notBefore")

        def _parse_error(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        error = _parse_error(d.pop("error"))

        outbox_entry = cls(
            id=id,
            kind=kind,
            status=status,
            attempts=attempts,
            created_at=created_at,
            not_before=not_before,
            error=error,
        )

        outbox_entry.additional_properties = d
        return outbox_entry

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
