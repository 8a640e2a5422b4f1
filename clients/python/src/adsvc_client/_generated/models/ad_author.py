from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.rating_summary import RatingSummary


T = TypeVar("T", bound="AdAuthor")


@_attrs_define
class AdAuthor(Record):
    """What everyone sees of an author.

    Attributes:
        id (int): The id of the author's account.
        first_name (str): The author's first name; may be empty.
        image (None | str): Path of the author's avatar. Null if there is none.
        since (int): When the account was created, in milliseconds since 1970-01-01T00:00Z.
        ad_count (int): How many ads of the author are active or reserved.
        rating (None | RatingSummary): What others have said after deals with the author. Null below three ratings.
        answer_minutes (int | None): Median of the minutes after which the author has answered the first message of a
            conversation of the last 90 days. Null below five answers.
        answer_rate (float | None): Part of the conversations of the last 90 days that the author has answered within 24
            hours. Those that are younger do not count. Null below five conversations.
    """

    id: int
    first_name: str
    image: None | str
    since: int
    ad_count: int
    rating: None | RatingSummary
    answer_minutes: int | None
    answer_rate: float | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.rating_summary import RatingSummary  # noqa: PLC0415

        id = self.id

        first_name = self.first_name

        image: None | str
        image = self.image

        since = self.since

        ad_count = self.ad_count

        rating: dict[str, Any] | None
        if isinstance(self.rating, RatingSummary):
            rating = self.rating.to_dict()
        else:
            rating = self.rating

        answer_minutes: int | None
        answer_minutes = self.answer_minutes

        answer_rate: float | None
        answer_rate = self.answer_rate

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "firstName": first_name,
                "image": image,
                "since": since,
                "adCount": ad_count,
                "rating": rating,
                "answerMinutes": answer_minutes,
                "answerRate": answer_rate,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.rating_summary import RatingSummary  # noqa: PLC0415

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

        def _parse_rating(data: object) -> None | RatingSummary:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                rating_type_0 = RatingSummary.from_dict(data)

                return rating_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RatingSummary, data)

        rating = _parse_rating(d.pop("rating"))

        def _parse_answer_minutes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        answer_minutes = _parse_answer_minutes(d.pop("answerMinutes"))

        def _parse_answer_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        answer_rate = _parse_answer_rate(d.pop("answerRate"))

        ad_author = cls(
            id=id,
            first_name=first_name,
            image=image,
            since=since,
            ad_count=ad_count,
            rating=rating,
            answer_minutes=answer_minutes,
            answer_rate=answer_rate,
        )

        ad_author.additional_properties = d
        return ad_author

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
