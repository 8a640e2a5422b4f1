from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="Seller")


@_attrs_define
class Seller(Record):
    """An account as everyone sees it who looks at its ads.

    Attributes:
        id (int): The id of the author's account.
        first_name (str): The author's first name; may be empty.
        image (None | str): Path of the author's avatar. Null if there is none.
        since (int): When the account was created, in milliseconds since 1970-01-01T00:00Z.
        ad_count (int): How many ads of the author are active or reserved.
        sold_count (int): How many ads of the account are marked as sold.
        verified (bool): Whether the account's mail address is confirmed.
    """

    id: int
    first_name: str
    image: None | str
    since: int
    ad_count: int
    sold_count: int
    verified: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        first_name = self.first_name

        image: None | str
        image = self.image

        since = self.since

        ad_count = self.ad_count

        sold_count = self.sold_count

        verified = self.verified

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "firstName": first_name,
                "image": image,
                "since": since,
                "adCount": ad_count,
                "soldCount": sold_count,
                "verified": verified,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        first_name = d.pop("firstName")

        def _parse_image(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        image = _parse_image(d.pop("image"))

        since = d.pop("since")

        ad_count = d.pop("adCount")

        sold_count = d.pop("soldCount")

        verified = d.pop("verified")

        seller = cls(
            id=id,
            first_name=first_name,
            image=image,
            since=since,
            ad_count=ad_count,
            sold_count=sold_count,
            verified=verified,
        )

        seller.additional_properties = d
        return seller

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
