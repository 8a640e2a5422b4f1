from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="OutboxFigures")


@_attrs_define
class OutboxFigures(Record):
    """What the outbox has; at most 10000 entries of each kind are counted.

    Attributes:
        waiting (int): Entries that will be tried.
        dead (int): Dead letters.
        oldest_at (int | None): When the oldest entry that waits was created, in milliseconds since 1970-01-01T00:00Z.
            Null if none waits.
    """

    waiting: int
    dead: int
    oldest_at: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        waiting = self.waiting

        dead = self.dead

        oldest_at: int | None
        oldest_at = self.oldest_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "waiting": waiting,
                "dead": dead,
                "oldestAt": oldest_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        waiting = d.pop("waiting")

        dead = d.pop("dead")

        def _parse_oldest_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        oldest_at = _parse_oldest_at(d.pop("oldestAt"))

        outbox_figures = cls(
            waiting=waiting,
            dead=dead,
            oldest_at=oldest_at,
        )

        outbox_figures.additional_properties = d
        return outbox_figures

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
