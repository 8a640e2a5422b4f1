from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="AuditEvent")


@_attrs_define
class AuditEvent(Record):
    """An event of interest to security.

    Attributes:
        id (int): The event's id.
        at (int): When it happened, in milliseconds since 1970-01-01T00:00Z.
        kind (str): What happened. Later versions have more kinds.
        actor (None | str): Who did it: the id of an account, or `operator` for a command. Null if that is not known.
        target (None | str): What it was done to, mostly an id.
        ad (int | None): The id of the ad that it is about. Null if it is about none.
        user (int | None): The id of the account whose thing it is, or that it is about. Null if there is none.
    """

    id: int
    at: int
    kind: str
    actor: None | str
    target: None | str
    ad: int | None
    user: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        at = self.at

        kind = self.kind

        actor: None | str
        actor = self.actor

        target: None | str
        target = self.target

        ad: int | None
        ad = self.ad

        user: int | None
        user = self.user

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "at": at,
                "kind": kind,
                "actor": actor,
                "target": target,
                "ad": ad,
                "user": user,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        at = d.pop("at")

        kind = d.pop("kind")

        def _parse_actor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        actor = _parse_actor(d.pop("actor"))

        def _parse_target(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        target = _parse_target(d.pop("target"))

        def _parse_ad(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ad = _parse_ad(d.pop("ad"))

        def _parse_user(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        user = _parse_user(d.pop("user"))

        audit_event = cls(
            id=id,
            at=at,
            kind=kind,
            actor=actor,
            target=target,
            ad=ad,
            user=user,
        )

        audit_event.additional_properties = d
        return audit_event

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
