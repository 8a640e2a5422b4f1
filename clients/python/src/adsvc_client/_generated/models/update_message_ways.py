from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="UpdateMessageWays")


@_attrs_define
class UpdateMessageWays(Record):
    """Changes of the ways for messages.

    Attributes:
        site (bool | Unset): In `GET /users/me/notifications`.
        mail (bool | Unset): By mail, to a verified address.
        push (bool | Unset): By Web Push, to the caller's browsers.
        text (bool | Unset): Whether mails have the text. A text with hints is in none.
    """

    site: bool | Unset = UNSET
    mail: bool | Unset = UNSET
    push: bool | Unset = UNSET
    text: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        site = self.site

        mail = self.mail

        push = self.push

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if site is not UNSET:
            field_dict["site"] = site
        if mail is not UNSET:
            field_dict["mail"] = mail
        if push is not UNSET:
            field_dict["push"] = push
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        site = d.pop("site", UNSET)

        mail = d.pop("mail", UNSET)

        push = d.pop("push", UNSET)

        text = d.pop("text", UNSET)

        update_message_ways = cls(
            site=site,
            mail=mail,
            push=push,
            text=text,
        )

        update_message_ways.additional_properties = d
        return update_message_ways

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
