from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.party import Party, check_party
from ..types import Record

if TYPE_CHECKING:
    from ..models.deal_party import DealParty
    from ..models.rating_answer import RatingAnswer


T = TypeVar("T", bound="Rating")


@_attrs_define
class Rating(Record):
    """What a party of a deal says of the other one.

    Attributes:
        id (int): The rating's id.
        deal (int): The id of the deal.
        stars (int): From 1 (bad) to 5 (very good).
        text (str): In words, with their line breaks; may be empty.
        at (int): When it was written, in milliseconds since 1970-01-01T00:00Z.
        by (DealParty | None): Who wrote it. Null if the account was deleted or is suspended.
        role (Party): A side of a conversation: who wrote about the ad, and the ad's author.
        answer (None | RatingAnswer): The answer of the account that it is about. Null if there is none.
    """

    id: int
    deal: int
    stars: int
    text: str
    at: int
    by: DealParty | None
    role: Party
    answer: None | RatingAnswer
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.deal_party import DealParty  # noqa: PLC0415
        from ..models.rating_answer import RatingAnswer  # noqa: PLC0415

        id = self.id

        deal = self.deal

        stars = self.stars

        text = self.text

        at = self.at

        by: dict[str, Any] | None
        if isinstance(self.by, DealParty):
            by = self.by.to_dict()
        else:
            by = self.by

        role: str = self.role

        answer: dict[str, Any] | None
        if isinstance(self.answer, RatingAnswer):
            answer = self.answer.to_dict()
        else:
            answer = self.answer

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "deal": deal,
                "stars": stars,
                "text": text,
                "at": at,
                "by": by,
                "role": role,
                "answer": answer,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.deal_party import DealParty  # noqa: PLC0415
        from ..models.rating_answer import RatingAnswer  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        deal = d.pop("deal")

        stars = d.pop("stars")

        text = d.pop("text")

        at = d.pop("at")

        def _parse_by(data: object) -> DealParty | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                by_type_0 = DealParty.from_dict(data)

                return by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DealParty | None, data)

        by = _parse_by(d.pop("by"))

        role = check_party(d.pop("role"))

        def _parse_answer(data: object) -> None | RatingAnswer:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                answer_type_0 = RatingAnswer.from_dict(data)

                return answer_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RatingAnswer, data)

        answer = _parse_answer(d.pop("answer"))

        rating = cls(
            id=id,
            deal=deal,
            stars=stars,
            text=text,
            at=at,
            by=by,
            role=role,
            answer=answer,
        )

        rating.additional_properties = d
        return rating

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
