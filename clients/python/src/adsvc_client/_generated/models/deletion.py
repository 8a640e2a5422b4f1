from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.deletion_kind import DeletionKind, check_deletion_kind
from ..types import Record

T = TypeVar("T", bound="Deletion")


@_attrs_define
class Deletion(Record):
    """A deletion of an ad or account that can be undone.

    Attributes:
        id (int): The deletion's id.
        kind (DeletionKind): What was deleted.
        target_id (int): The id of the ad or account.
        owner_id (int): The id of the ad's author, or of the account.
        label (str): The title of the ad, or the user name.
        actor (str): The id of the account that deleted it; `operator` for a command.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        ends_at (int): When it is final, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    kind: DeletionKind
    target_id: int
    owner_id: int
    label: str
    actor: str
    created_at: int
    ends_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind: str = self.kind

        target_id = self.target_id

        owner_id = self.owner_id

        label = self.label

        actor = self.actor

        created_at = self.created_at

        ends_at = self.ends_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "kind": kind,
                "targetId": target_id,
                "ownerId": owner_id,
                "label": label,
                "actor": actor,
                "createdAt": created_at,
                "endsAt": ends_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        kind = check_deletion_kind(d.pop("kind"))

        target_id = d.pop("targetId")

        owner_id = d.pop("ownerId")

        label = d.pop("label")

        actor = d.pop("actor")

        created_at = d.pop("createdAt")

        ends_at = d.pop("endsAt")

        deletion = cls(
            id=id,
            kind=kind,
            target_id=target_id,
            owner_id=owner_id,
            label=label,
            actor=actor,
            created_at=created_at,
            ends_at=ends_at,
        )

        deletion.additional_properties = d
        return deletion

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
