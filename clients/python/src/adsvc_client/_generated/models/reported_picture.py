from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="ReportedPicture")


@_attrs_define
class ReportedPicture(Record):
    """A picture of a reported ad, as it was at the report.

    Attributes:
        image (str): Path of the picture on this server. 404 once the picture is deleted.
        digest (None | str): SHA-256 of the stored file, in hexadecimal. Null for an old picture.
    """

    image: str
    digest: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        image = self.image

        digest: None | str
        digest = self.digest

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "image": image,
                "digest": digest,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        image = d.pop("image")

        def _parse_digest(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        digest = _parse_digest(d.pop("digest"))

        reported_picture = cls(
            image=image,
            digest=digest,
        )

        reported_picture.additional_properties = d
        return reported_picture

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
