from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.hint import Hint, check_hint
from ..models.message_kind import MessageKind, check_message_kind
from ..types import Record

if TYPE_CHECKING:
    from ..models.offer import Offer


T = TypeVar("T", bound="Message")


@_attrs_define
class Message(Record):
    """A message of a conversation.

    Attributes:
        id (int): The message's id.
        conversation (int): The conversation's id.
        mine (bool): Whether the caller wrote it.
        kind (MessageKind): What a message is: `text` that a party wrote, an `offer`, or a `notice` of what has
            happened.
        text (str): The text, with its line breaks. Empty for an offer, and for the receiver of a removed message. For a
            notice `accepted`, `declined` or `withdrawn` (the offer), or `sold` (the ad, to the buyer of this conversation).
        offer (None | Offer): The offer that it is about, as it is now. Null if it is about none.
        at (int): When it was written, in milliseconds since 1970-01-01T00:00Z.
        hints (list[Hint]): What its reader should be careful with: it has a link, a mail address, a phone number, an
            account number, the name of a messenger, or asks for money in advance.
        removed (bool): Whether moderators have removed it. Its author alone still sees the text.
    """

    id: int
    conversation: int
    mine: bool
    kind: MessageKind
    text: str
    offer: None | Offer
    at: int
    hints: list[Hint]
    removed: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.offer import Offer  # noqa: PLC0415

        id = self.id

        conversation = self.conversation

        mine = self.mine

        kind: str = self.kind

        text = self.text

        offer: dict[str, Any] | None
        if isinstance(self.offer, Offer):
            offer = self.offer.to_dict()
        else:
            offer = self.offer

        at = self.at

        hints = []
        for hints_item_data in self.hints:
            hints_item: str = hints_item_data
            hints.append(hints_item)

        removed = self.removed

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "conversation": conversation,
                "mine": mine,
                "kind": kind,
                "text": text,
                "offer": offer,
                "at": at,
                "hints": hints,
                "removed": removed,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.offer import Offer  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        conversation = d.pop("conversation")

        mine = d.pop("mine")

        kind = check_message_kind(d.pop("kind"))

        text = d.pop("text")

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

        at = d.pop("at")

        hints = []
        _hints = d.pop("hints")
        for hints_item_data in _hints:
            hints_item = check_hint(hints_item_data)

            hints.append(hints_item)

        removed = d.pop("removed")

        message = cls(
            id=id,
            conversation=conversation,
            mine=mine,
            kind=kind,
            text=text,
            offer=offer,
            at=at,
            hints=hints,
            removed=removed,
        )

        message.additional_properties = d
        return message

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
