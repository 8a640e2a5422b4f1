from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.variants import Variants


T = TypeVar("T", bound="Image")


@_attrs_define
class Image(Record):
    """A picture of an ad.

    Attributes:
        id (int): The picture's id.
        image (str): Path of the picture on this server. It can be fetched without credentials.
        width (int | None): Width of `image` in pixels. Null for an old picture.
        height (int | None): Height of `image` in pixels. Null for an old picture.
        variants (Variants): The smaller copies of a picture. An old picture may lack some or all of them.
        placeholder (None | str): The average colour, to show while the picture loads. Null for an old picture.
    """

    id: int
    image: str
    width: int | None
    height: int | None
    variants: Variants
    placeholder: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        image = self.image

        width: int | None
        width = self.width

        height: int | None
        height = self.height

        variants = self.variants.to_dict()

        placeholder: None | str
        placeholder = self.placeholder

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "image": image,
                "width": width,
                "height": height,
                "variants": variants,
                "placeholder": placeholder,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.variants import Variants  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        image = d.pop("image")

        def _parse_width(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        width = _parse_width(d.pop("width"))

        def _parse_height(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        height = _parse_height(d.pop("height"))

        variants = Variants.from_dict(d.pop("variants"))

        def _parse_placeholder(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        placeholder = _parse_placeholder(d.pop("placeholder"))

        image = cls(
            id=id,
            image=image,
            width=width,
            height=height,
            variants=variants,
            placeholder=placeholder,
        )

        image.additional_properties = d
        return image

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
