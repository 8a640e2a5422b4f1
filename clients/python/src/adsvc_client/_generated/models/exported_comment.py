from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.exported_comment_status import ExportedCommentStatus, check_exported_comment_status
from ..types import Record

T = TypeVar("T", bound="ExportedComment")


@_attrs_define
class ExportedComment(Record):
    """A comment that the account wrote.

    Attributes:
        id (int): The comment's id.
        ad_id (int): The id of the ad it is on.
        text (str): Text of the comment, with its line breaks.
        status (ExportedCommentStatus): `removed`: a moderator removed it, which can still be undone.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        updated_at (int): When it was last changed, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    ad_id: int
    text: str
    status: ExportedCommentStatus
    created_at: int
    updated_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        ad_id = self.ad_id

        text = self.text

        status: str = self.status

        created_at = self.created_at

        updated_at = self.updated_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "adId": ad_id,
                "text": text,
                "status": status,
                "createdAt": created_at,
                "updatedAt": updated_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        ad_id = d.pop("adId")

        text = d.pop("text")

        status = check_exported_comment_status(d.pop("status"))

        created_at = d.pop("createdAt")

        updated_at = d.pop("updatedAt")

        exported_comment = cls(
            id=id,
            ad_id=ad_id,
            text=text,
            status=status,
            created_at=created_at,
            updated_at=updated_at,
        )

        exported_comment.additional_properties = d
        return exported_comment

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
