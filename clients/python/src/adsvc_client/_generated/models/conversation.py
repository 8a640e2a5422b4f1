from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.party import Party, check_party
from ..types import Record

if TYPE_CHECKING:
    from ..models.ad import Ad
    from ..models.message import Message
    from ..models.offer import Offer
    from ..models.other_party import OtherParty


T = TypeVar("T", bound="Conversation")


@_attrs_define
class Conversation(Record):
    """A conversation about an ad, as one of its two parties sees it.

    Attributes:
        id (int): The conversation's id.
        ad (Ad | None): The ad. Null if it was deleted, or the buyer cannot see it any more; one that was sold or has
            expired has its status.
        title (str): Headline of the ad when the conversation began.
        other (None | OtherParty): The other party. Null if that account was deleted, which closes the conversation.
        role (Party): A side of a conversation: who wrote about the ad, and the ad's author.
        last (Message): A message of a conversation.
        unread (int): How many messages the caller has not read.
        read_up_to (int | None): The id of the last message that the other party has read. Null if it has read none.
        offer (None | Offer): The open offer. Null if there is none.
        blocked (bool): Whether one of the two has blocked the other, so that neither can write.
        updated_at (int): When the newest message was written, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    ad: Ad | None
    title: str
    other: None | OtherParty
    role: Party
    last: Message
    unread: int
    read_up_to: int | None
    offer: None | Offer
    blocked: bool
    updated_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.offer import Offer  # noqa: PLC0415
        from ..models.other_party import OtherParty  # noqa: PLC0415

        id = self.id

        ad: dict[str, Any] | None
        if isinstance(self.ad, Ad):
            ad = self.ad.to_dict()
        else:
            ad = self.ad

        title = self.title

        other: dict[str, Any] | None
        if isinstance(self.other, OtherParty):
            other = self.other.to_dict()
        else:
            other = self.other

        role: str = self.role

        last = self.last.to_dict()

        unread = self.unread

        read_up_to: int | None
        read_up_to = self.read_up_to

        offer: dict[str, Any] | None
        if isinstance(self.offer, Offer):
            offer = self.offer.to_dict()
        else:
            offer = self.offer

        blocked = self.blocked

        updated_at = self.updated_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "ad": ad,
                "title": title,
                "other": other,
                "role": role,
                "last": last,
                "unread": unread,
                "readUpTo": read_up_to,
                "offer": offer,
                "blocked": blocked,
                "updatedAt": updated_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.message import Message  # noqa: PLC0415
        from ..models.offer import Offer  # noqa: PLC0415
        from ..models.other_party import OtherParty  # noqa: PLC0415

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

        def _parse_other(data: object) -> None | OtherParty:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                other_type_0 = OtherParty.from_dict(data)

                return other_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OtherParty, data)

        other = _parse_other(d.pop("other"))

        role = check_party(d.pop("role"))

        last = Message.from_dict(d.pop("last"))

        unread = d.pop("unread")

        def _parse_read_up_to(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        read_up_to = _parse_read_up_to(d.pop("readUpTo"))

        def _parse_offer(data: object) -> None | Offer:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                offer_type_0 = Offer.from_dict(data)

                return offer_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Offer, data)

        offer = _parse_offer(d.pop("offer"))

        blocked = d.pop("blocked")

        updated_at = d.pop("updatedAt")

        conversation = cls(
            id=id,
            ad=ad,
            title=title,
            other=other,
            role=role,
            last=last,
            unread=unread,
            read_up_to=read_up_to,
            offer=offer,
            blocked=blocked,
            updated_at=updated_at,
        )

        conversation.additional_properties = d
        return conversation

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
