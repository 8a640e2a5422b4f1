from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="Comment")


@_attrs_define
class Comment(Record):
    """A comment on an ad.

    Attributes:
        pk (int): The comment's id.
        author (int): The id of the author's account.
        author_first_name (str): The author's first name; may be empty.
        author_image (None | str): Path of the author's avatar. Null if there is none.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        text (str): Text of the comment, with its line breaks.
    """

    pk: int
    author: int
    author_first_name: str
    author_image: None | str
    created_at: int
    text: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        pk = self.pk

        author = self.author

        author_first_name = self.author_first_name

        author_image: None | str
        author_image = self.author_image

        created_at = self.created_at

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pk": pk,
                "author": author,
                "authorFirstName": author_first_name,
                "authorImage": author_image,
                "createdAt": created_at,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pk = d.pop("pk")

        author = d.pop("author")

        author_first_name = d.pop("authorFirstName")

        def _parse_author_image(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        author_image = _parse_author_image(d.pop("authorImage"))

        created_at = d.pop("createdAt")

        text = d.pop("text")

        comment = cls(
            pk=pk,
            author=author,
            author_first_name=author_first_name,
            author_image=author_image,
            created_at=created_at,
            text=text,
        )

        comment.additional_properties = d
        return comment

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
