from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.category_attribute import CategoryAttribute
    from ..models.category_names import CategoryNames
    from ..models.category_synonyms import CategorySynonyms


T = TypeVar("T", bound="Category")


@_attrs_define
class Category(Record):
    """A category of the tree, with all attributes that its ads may have.

    Attributes:
        slug (str): The category's name in addresses and filters; it never changes.
        parent (None | str): The slug of the category above. Null for a root of the tree.
        name (str): Its name in the language of the site.
        names (CategoryNames): Translations of the name, by language tag (BCP 47).
        synonyms (CategorySynonyms): Other words for it, by language tag (BCP 47). Like its names, a search finds its
            ads by them. At most 100 in all.
        position (int): Its place among its siblings, the lowest first.
        icon (None | str): Its icon on the home page, of the set that comes with the storefront. Null for a tag.
        color (None | str): The colour of its icon. Null for the accent of the site.
        attributes (list[CategoryAttribute]): Its attributes: first those of the categories above, then its own.
        count (int): How many ads everyone sees in it and in the categories below it.
    """

    slug: str
    parent: None | str
    name: str
    names: CategoryNames
    synonyms: CategorySynonyms
    position: int
    icon: None | str
    color: None | str
    attributes: list[CategoryAttribute]
    count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        parent: None | str
        parent = self.parent

        name = self.name

        names = self.names.to_dict()

        synonyms = self.synonyms.to_dict()

        position = self.position

        icon: None | str
        icon = self.icon

        color: None | str
        color = self.color

        attributes = []
        for attributes_item_data in self.attributes:
            attributes_item = attributes_item_data.to_dict()
            attributes.append(attributes_item)

        count = self.count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "parent": parent,
                "name": name,
                "names": names,
                "synonyms": synonyms,
                "position": position,
                "icon": icon,
                "color": color,
                "attributes": attributes,
                "count": count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.category_attribute import CategoryAttribute  # noqa: PLC0415
        from ..models.category_names import CategoryNames  # noqa: PLC0415
        from ..models.category_synonyms import CategorySynonyms  # noqa: PLC0415

        d = dict(src_dict)
        slug = d.pop("slug")

        def _parse_parent(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        parent = _parse_parent(d.pop("parent"))

        name = d.pop("name")

        names = CategoryNames.from_dict(d.pop("names"))

        synonyms = CategorySynonyms.from_dict(d.pop("synonyms"))

        position = d.pop("position")

        def _parse_icon(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        icon = _parse_icon(d.pop("icon"))

        def _parse_color(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        color = _parse_color(d.pop("color"))

        attributes = []
        _attributes = d.pop("attributes")
        for attributes_item_data in _attributes:
            attributes_item = CategoryAttribute.from_dict(attributes_item_data)

            attributes.append(attributes_item)

        count = d.pop("count")

        category = cls(
            slug=slug,
            parent=parent,
            name=name,
            names=names,
            synonyms=synonyms,
            position=position,
            icon=icon,
            color=color,
            attributes=attributes,
            count=count,
        )

        category.additional_properties = d
        return category

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
