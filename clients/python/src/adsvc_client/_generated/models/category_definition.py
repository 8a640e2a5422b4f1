from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.attribute import Attribute
    from ..models.category_definition_names import CategoryDefinitionNames
    from ..models.category_definition_synonyms import CategoryDefinitionSynonyms


T = TypeVar("T", bound="CategoryDefinition")


@_attrs_define
class CategoryDefinition(Record):
    """The whole definition of a category. It replaces the one before: nothing else is kept.

    Attributes:
        name (str): Its name in the language of the site.
        parent (None | str | Unset): The slug of the category above. Null for a root of the tree.
        names (CategoryDefinitionNames | Unset): Translations of the name, by language tag (BCP 47).
        synonyms (CategoryDefinitionSynonyms | Unset): Other words for it, by language tag (BCP 47). Like its names, a
            search finds its ads by them. At most 100 in all.
        position (int | Unset): Its place among its siblings, the lowest first; then by name.
        icon (None | str | Unset): Its icon on the home page, of the set that comes with the storefront. Null for a tag.
        color (None | str | Unset): The colour of its icon. Null for the accent of the site.
        attributes (list[Attribute] | Unset): The attributes that it defines itself. Those marked as `inherited` are
            ignored, so that a category that was read can be sent back.
    """

    name: str
    parent: None | str | Unset = UNSET
    names: CategoryDefinitionNames | Unset = UNSET
    synonyms: CategoryDefinitionSynonyms | Unset = UNSET
    position: int | Unset = UNSET
    icon: None | str | Unset = UNSET
    color: None | str | Unset = UNSET
    attributes: list[Attribute] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        parent: None | str | Unset
        if isinstance(self.parent, Unset):
            parent = UNSET
        else:
            parent = self.parent

        names: dict[str, Any] | Unset = UNSET
        if not isinstance(self.names, Unset):
            names = self.names.to_dict()

        synonyms: dict[str, Any] | Unset = UNSET
        if not isinstance(self.synonyms, Unset):
            synonyms = self.synonyms.to_dict()

        position = self.position

        icon: None | str | Unset
        if isinstance(self.icon, Unset):
            icon = UNSET
        else:
            icon = self.icon

        color: None | str | Unset
        if isinstance(self.color, Unset):
            color = UNSET
        else:
            color = self.color

        attributes: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.attributes, Unset):
            attributes = []
            for attributes_item_data in self.attributes:
                attributes_item = attributes_item_data.to_dict()
                attributes.append(attributes_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
            }
        )
        if parent is not UNSET:
            field_dict["parent"] = parent
        if names is not UNSET:
            field_dict["names"] = names
        if synonyms is not UNSET:
            field_dict["synonyms"] = synonyms
        if position is not UNSET:
            field_dict["position"] = position
        if icon is not UNSET:
            field_dict["icon"] = icon
        if color is not UNSET:
            field_dict["color"] = color
        if attributes is not UNSET:
            field_dict["attributes"] = attributes

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attribute import Attribute  # noqa: PLC0415
        from ..models.category_definition_names import CategoryDefinitionNames  # noqa: PLC0415
        from ..models.category_definition_synonyms import CategoryDefinitionSynonyms  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        def _parse_parent(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        parent = _parse_parent(d.pop("parent", UNSET))

        _names = d.pop("names", UNSET)
        names: CategoryDefinitionNames | Unset
        if isinstance(_names, Unset):
            names = UNSET
        else:
            names = CategoryDefinitionNames.from_dict(_names)

        _synonyms = d.pop("synonyms", UNSET)
        synonyms: CategoryDefinitionSynonyms | Unset
        if isinstance(_synonyms, Unset):
            synonyms = UNSET
        else:
            synonyms = CategoryDefinitionSynonyms.from_dict(_synonyms)

        position = d.pop("position", UNSET)

        def _parse_icon(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        icon = _parse_icon(d.pop("icon", UNSET))

        def _parse_color(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        color = _parse_color(d.pop("color", UNSET))

        _attributes = d.pop("attributes", UNSET)
        attributes: list[Attribute] | Unset = UNSET
        if _attributes is not UNSET:
            attributes = []
            for attributes_item_data in _attributes:
                attributes_item = Attribute.from_dict(attributes_item_data)

                attributes.append(attributes_item)

        category_definition = cls(
            name=name,
            parent=parent,
            names=names,
            synonyms=synonyms,
            position=position,
            icon=icon,
            color=color,
            attributes=attributes,
        )

        category_definition.additional_properties = d
        return category_definition

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
