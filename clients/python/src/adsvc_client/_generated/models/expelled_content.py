from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="ExpelledContent")


@_attrs_define
class ExpelledContent(Record):
    """What an account has published, and its removal removes.

    Attributes:
        ads (int): Ads that everyone sees.
        pictures (int): Pictures of ads.
        comments (int): Comments.
        messages (int): Messages to other accounts.
        ratings (int): Ratings of other accounts that everyone sees.
    """

    ads: int
    pictures: int
    comments: int
    messages: int
    ratings: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ads = self.ads

        pictures = self.pictures

        comments = self.comments

        messages = self.messages

        ratings = self.ratings

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ads": ads,
                "pictures": pictures,
                "comments": comments,
                "messages": messages,
                "ratings": ratings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ads = d.pop("ads")

        pictures = d.pop("pictures")

        comments = d.pop("comments")

        messages = d.pop("messages")

        ratings = d.pop("ratings")

        expelled_content = cls(
            ads=ads,
            pictures=pictures,
            comments=comments,
            messages=messages,
            ratings=ratings,
        )

        expelled_content.additional_properties = d
        return expelled_content

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
