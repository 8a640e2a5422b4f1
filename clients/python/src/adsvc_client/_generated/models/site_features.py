from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="SiteFeatures")


@_attrs_define
class SiteFeatures(Record):
    """What the site offers. Of what it does without, lists are empty, deletions work, and all else
    is refused with 403 `feature-off`.

        Attributes:
            comments (bool): Public comments on ads.
            offers (bool): Offers of a price, in conversations.
            conversations (bool): Messages to the author of an ad.
            phone (bool): Phone numbers of authors.
            map_ (bool): Maps of ads.
            push (bool): Notifications in browsers.
            searches (bool): Saved searches.
    """

    comments: bool
    offers: bool
    conversations: bool
    phone: bool
    map_: bool
    push: bool
    searches: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        comments = self.comments

        offers = self.offers

        conversations = self.conversations

        phone = self.phone

        map_ = self.map_

        push = self.push

        searches = self.searches

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "comments": comments,
                "offers": offers,
                "conversations": conversations,
                "phone": phone,
                "map": map_,
                "push": push,
                "searches": searches,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        comments = d.pop("comments")

        offers = d.pop("offers")

        conversations = d.pop("conversations")

        phone = d.pop("phone")

        map_ = d.pop("map")

        push = d.pop("push")

        searches = d.pop("searches")

        site_features = cls(
            comments=comments,
            offers=offers,
            conversations=conversations,
            phone=phone,
            map_=map_,
            push=push,
            searches=searches,
        )

        site_features.additional_properties = d
        return site_features

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
