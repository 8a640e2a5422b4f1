from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.offer_status import OfferStatus, check_offer_status
from ..models.party import Party, check_party
from ..types import Record

T = TypeVar("T", bound="Offer")


@_attrs_define
class Offer(Record):
    """A price that one party has offered to the other.

    Attributes:
        id (int): The offer's id.
        price (int): Price in the smallest unit of the site (`priceDecimals` of `GET /site`).
        by (Party): A side of a conversation: who wrote about the ad, and the ad's author.
        status (OfferStatus): What has become of an offer.
        expires_at (int): When it expires, if it is open until then, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    price: int
    by: Party
    status: OfferStatus
    expires_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        price = self.price

        by: str = self.by

        status: str = self.status

        expires_at = self.expires_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "price": price,
                "by": by,
                "status": status,
                "expiresAt": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        price = d.pop("price")

        by = check_party(d.pop("by"))

        status = check_offer_status(d.pop("status"))

        expires_at = d.pop("expiresAt")

        offer = cls(
            id=id,
            price=price,
            by=by,
            status=status,
            expires_at=expires_at,
        )

        offer.additional_properties = d
        return offer

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
