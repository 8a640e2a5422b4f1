from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.site_change_after import SiteChangeAfter
    from ..models.site_change_before import SiteChangeBefore


T = TypeVar("T", bound="SiteChange")


@_attrs_define
class SiteChange(Record):
    """A change of the site.

    Attributes:
        id (int): The change's id.
        at (int): When it was made, in milliseconds since 1970-01-01T00:00Z.
        actor (str): Who made it: the id of an account, or `operator` for a command.
        before (SiteChangeBefore): The members that changed, as they were. Null is the default.
        after (SiteChangeAfter): The same members as they became.
    """

    id: int
    at: int
    actor: str
    before: SiteChangeBefore
    after: SiteChangeAfter
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        at = self.at

        actor = self.actor

        before = self.before.to_dict()

        after = self.after.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "at": at,
                "actor": actor,
                "before": before,
                "after": after,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.site_change_after import SiteChangeAfter  # noqa: PLC0415
        from ..models.site_change_before import SiteChangeBefore  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        at = d.pop("at")

        actor = d.pop("actor")

        before = SiteChangeBefore.from_dict(d.pop("before"))

        after = SiteChangeAfter.from_dict(d.pop("after"))

        site_change = cls(
            id=id,
            at=at,
            actor=actor,
            before=before,
            after=after,
        )

        site_change.additional_properties = d
        return site_change

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
