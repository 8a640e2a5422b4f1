from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.attribute_type import AttributeType, check_attribute_type
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.attribute_labels import AttributeLabels
    from ..models.attribute_option import AttributeOption


T = TypeVar("T", bound="Attribute")


@_attrs_define
class Attribute(Record):
    """An attribute that a category defines for its ads and for those of the categories below.

    Attributes:
        name (str): The name as ads and filters have it.
        type_ (AttributeType):
        label (None | str | Unset): Its name in the language of the site. Null means `name`.
        labels (AttributeLabels | Unset): Translations of the name, by language tag (BCP 47).
        unit (None | str | Unset): The unit to show behind numbers. Null for none.
        minimum (float | None | Unset): The lowest number allowed. Null for no bound.
        maximum (float | None | Unset): The highest number allowed. Null for no bound.
        max_length (int | None | Unset): The most characters of a text. Null means 200.
        options (list[AttributeOption] | Unset): The values to choose from, for the type `enum`; empty for other types.
        required (bool | Unset): Whether an ad must have it.
        filterable (bool | Unset): Whether `GET /ads` filters by it (`attr`). Not for text.
        facetable (bool | Unset): Whether `GET /ads/facets` counts its values. Not for text.
    """

    name: str
    type_: AttributeType
    label: None | str | Unset = UNSET
    labels: AttributeLabels | Unset = UNSET
    unit: None | str | Unset = UNSET
    minimum: float | None | Unset = UNSET
    maximum: float | None | Unset = UNSET
    max_length: int | None | Unset = UNSET
    options: list[AttributeOption] | Unset = UNSET
    required: bool | Unset = UNSET
    filterable: bool | Unset = UNSET
    facetable: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        type_: str = self.type_

        label: None | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        labels: dict[str, Any] | Unset = UNSET
        if not isinstance(self.labels, Unset):
            labels = self.labels.to_dict()

        unit: None | str | Unset
        if isinstance(self.unit, Unset):
            unit = UNSET
        else:
            unit = self.unit

        minimum: float | None | Unset
        if isinstance(self.minimum, Unset):
            minimum = UNSET
        else:
            minimum = self.minimum

        maximum: float | None | Unset
        if isinstance(self.maximum, Unset):
            maximum = UNSET
        else:
            maximum = self.maximum

        max_length: int | None | Unset
        if isinstance(self.max_length, Unset):
            max_length = UNSET
        else:
            max_length = self.max_length

        options: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.options, Unset):
            options = []
            for options_item_data in self.options:
                options_item = options_item_data.to_dict()
                options.append(options_item)

        required = self.required

        filterable = self.filterable

        facetable = self.facetable

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "type": type_,
            }
        )
        if label is not UNSET:
            field_dict["label"] = label
        if labels is not UNSET:
            field_dict["labels"] = labels
        if unit is not UNSET:
            field_dict["unit"] = unit
        if minimum is not UNSET:
            field_dict["minimum"] = minimum
        if maximum is not UNSET:
            field_dict["maximum"] = maximum
        if max_length is not UNSET:
            field_dict["maxLength"] = max_length
        if options is not UNSET:
            field_dict["options"] = options
        if required is not UNSET:
            field_dict["required"] = required
        if filterable is not UNSET:
            field_dict["filterable"] = filterable
        if facetable is not UNSET:
            field_dict["facetable"] = facetable

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attribute_labels import AttributeLabels  # noqa: PLC0415
        from ..models.attribute_option import AttributeOption  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        type_ = check_attribute_type(d.pop("type"))

        def _parse_label(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        _labels = d.pop("labels", UNSET)
        labels: AttributeLabels | Unset
        if isinstance(_labels, Unset):
            labels = UNSET
        else:
            labels = AttributeLabels.from_dict(_labels)

        def _parse_unit(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        unit = _parse_unit(d.pop("unit", UNSET))

        def _parse_minimum(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        minimum = _parse_minimum(d.pop("minimum", UNSET))

        def _parse_maximum(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        maximum = _parse_maximum(d.pop("maximum", UNSET))

        def _parse_max_length(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_length = _parse_max_length(d.pop("maxLength", UNSET))

        _options = d.pop("options", UNSET)
        options: list[AttributeOption] | Unset = UNSET
        if _options is not UNSET:
            options = []
            for options_item_data in _options:
                options_item = AttributeOption.from_dict(options_item_data)

                options.append(options_item)

        required = d.pop("required", UNSET)

        filterable = d.pop("filterable", UNSET)

        facetable = d.pop("facetable", UNSET)

        attribute = cls(
            name=name,
            type_=type_,
            label=label,
            labels=labels,
            unit=unit,
            minimum=minimum,
            maximum=maximum,
            max_length=max_length,
            options=options,
            required=required,
            filterable=filterable,
            facetable=facetable,
        )

        attribute.additional_properties = d
        return attribute

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
