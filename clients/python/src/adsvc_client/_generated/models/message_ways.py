from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="MessageWays")


@_attrs_define
class MessageWays(Record):
    """In which ways an account wants to hear of messages.

    Attributes:
        site (bool): In `GET /users/me/notifications`.
        mail (bool): By mail, to a verified address.
        push (bool): By Web Push, to the caller's browsers.
        text (bool): Whether mails have the text. A text with hints is in none.
    """

    site: bool
    mail: bool
    push: bool
    text: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        site = self.site

        mail = self.mail

        push = self.push

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "site": site,
                "mail": mail,
                "push": push,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        site = d.pop("site")

        mail = d.pop("mail")

        push = d.pop("push")

        text = d.pop("text")

        message_ways = cls(
            site=site,
            mail=mail,
            push=push,
            text=text,
        )

        message_ways.additional_properties = d
        return message_ways

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
