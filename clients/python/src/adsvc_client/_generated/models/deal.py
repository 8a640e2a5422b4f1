from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.party import Party, check_party
from ..types import Record

if TYPE_CHECKING:
    from ..models.ad import Ad
    from ..models.deal_party import DealParty
    from ..models.rating import Rating


T = TypeVar("T", bound="Deal")


@_attrs_define
class Deal(Record):
    """A deal, as one of its two parties sees it.

    Attributes:
        id (int): The deal's id.
        ad (Ad | None): The ad that was sold. Null if it was deleted or removed.
        title (str): Headline of the ad when it was sold.
        role (Party): A side of a conversation: who wrote about the ad, and the ad's author.
        other (DealParty | None): The other party. Null if that account was deleted or is suspended.
        price (int): For what it was sold.
        at (int): When it was sold, in milliseconds since 1970-01-01T00:00Z.
        mine (None | Rating): The caller's rating of the other party. Null if there is none.
        theirs (None | Rating): The other party's rating of the caller. Null if there is none, or before both have rated
            or the time for it is over.
        until (int): Until when the two may rate each other, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    ad: Ad | None
    title: str
    role: Party
    other: DealParty | None
    price: int
    at: int
    mine: None | Rating
    theirs: None | Rating
    until: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.deal_party import DealParty  # noqa: PLC0415
        from ..models.rating import Rating  # noqa: PLC0415

        id = self.id

        ad: dict[str, Any] | None
        if isinstance(self.ad, Ad):
            ad = self.ad.to_dict()
        else:
            ad = self.ad

        title = self.title

        role: str = self.role

        other: dict[str, Any] | None
        if isinstance(self.other, DealParty):
            other = self.other.to_dict()
        else:
            other = self.other

        price = self.price

        at = self.at

        mine: dict[str, Any] | None
        if isinstance(self.mine, Rating):
            mine = self.mine.to_dict()
        else:
            mine = self.mine

        theirs: dict[str, Any] | None
        if isinstance(self.theirs, Rating):
            theirs = self.theirs.to_dict()
        else:
            theirs = self.theirs

        until = self.until

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "ad": ad,
                "title": title,
                "role": role,
                "other": other,
                "price": price,
                "at": at,
                "mine": mine,
                "theirs": theirs,
                "until": until,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.deal_party import DealParty  # noqa: PLC0415
        from ..models.rating import Rating  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_ad(data: object) -> Ad | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                ad_type_0 = Ad.from_dict(data)

                return ad_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Ad | None, data)

        ad = _parse_ad(d.pop("ad"))

        title = d.pop("title")

        role = check_party(d.pop("role"))

        def _parse_other(data: object) -> DealParty | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                other_type_0 = DealParty.from_dict(data)

                return other_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DealParty | None, data)

        other = _parse_other(d.pop("other"))

        price = d.pop("price")

        at = d.pop("at")

        def _parse_mine(data: object) -> None | Rating:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                mine_type_0 = Rating.from_dict(data)

                return mine_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Rating, data)

        mine = _parse_mine(d.pop("mine"))

        def _parse_theirs(data: object) -> None | Rating:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                theirs_type_0 = Rating.from_dict(data)

                return theirs_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Rating, data)

        theirs = _parse_theirs(d.pop("theirs"))

        until = d.pop("until")

        deal = cls(
            id=id,
            ad=ad,
            title=title,
            role=role,
            other=other,
            price=price,
            at=at,
            mine=mine,
            theirs=theirs,
            until=until,
        )

        deal.additional_properties = d
        return deal

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
