from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.attribute_option_labels import AttributeOptionLabels


T = TypeVar("T", bound="AttributeOption")


@_attrs_define
class AttributeOption(Record):
    """A value that an attribute of the type `enum` may have.

    Attributes:
        value (str): The value as ads and filters have it.
        label (None | str | Unset): Its name in the language of the site. Null means the value itself.
        labels (AttributeOptionLabels | Unset): Translations of the name, by language tag (BCP 47).
    """

    value: str
    label: None | str | Unset = UNSET
    labels: AttributeOptionLabels | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        value = self.value

        label: None | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        labels: dict[str, Any] | Unset = UNSET
        if not isinstance(self.labels, Unset):
            labels = self.labels.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "value": value,
            }
        )
        if label is not UNSET:
            field_dict["label"] = label
        if labels is not UNSET:
            field_dict["labels"] = labels

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attribute_option_labels import AttributeOptionLabels  # noqa: PLC0415

        d = dict(src_dict)
        value = d.pop("value")

        def _parse_label(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        _labels = d.pop("labels", UNSET)
        labels: AttributeOptionLabels | Unset
        if isinstance(_labels, Unset):
            labels = UNSET
        else:
            labels = AttributeOptionLabels.from_dict(_labels)

        attribute_option = cls(
            value=value,
            label=label,
            labels=labels,
        )

        attribute_option.additional_properties = d
        return attribute_option

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
