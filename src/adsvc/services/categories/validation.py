"""The category and the attributes of an ad, as they are to be stored, or why they cannot be."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from adsvc.errors import InvalidRequestError, UnknownCategoryError, faults
from adsvc.repositories.ads.writes import Classification
from adsvc.services.categories.reading import CategoryTree, Node

# More than any category can have; the rest would only be looked at in vain.
MOST_SENT = 500
NO_CATEGORY = Classification()
# Attributes cannot be validated where this is at fault.
POINTER = "/category"


@dataclass(frozen=True, slots=True)
class SentClassification:
    """What is sent of an ad's category and attributes. Without a category it is as it was."""

    attributes: Mapping[str, Any] | None = None
    # A slug, or None for no category.
    category: str | None = None
    sends_category: bool = False
    required: bool = field(default=False, kw_only=True)

    @classmethod
    def taken_from(cls, values: dict[str, Any], *, required: bool) -> "SentClassification | None":
        """Takes both members out of what was sent of an ad; None if neither is there."""
        if values.keys().isdisjoint({"category", "attributes"}):
            return None
        sends_category = "category" in values
        attributes = values.pop("attributes", None)
        return cls(attributes, values.pop("category", None), sends_category, required=required)

    def applied(self, tree: CategoryTree, before: Classification = NO_CATEGORY) -> dict[str, Any]:
        """The columns of the ad that was described so before.

        Raises `InvalidRequestError`. What was stored when the category was another one, or when
        the tree was, is validated too, once attributes are sent or the category is another one.
        """
        if (self.category if self.sends_category else before.category_id) is None:
            return self._without_category()
        node = self.node(tree, before)
        if node is None:
            raise UnknownCategoryError
        if self.attributes is None and node.id == before.category_id:
            return {"category_id": node.id}
        stored = before.attributes
        attributes = _merged(stored, self.attributes or {})
        return {"category_id": node.id, **_validated(tree, node.slug, attributes, stored)}

    def node(self, tree: CategoryTree, before: Classification = NO_CATEGORY) -> Node | None:
        """The category that the ad is to have, if it is to have one and the tree has it."""
        if self.sends_category:
            return tree.nodes.get(self.category or "")
        return tree.by_id.get(before.category_id)

    def _without_category(self) -> dict[str, Any]:
        """Attributes go with the category that says what they are."""
        if self.required:
            fault = faults.missing("must be given: every ad here has one")
            raise InvalidRequestError(fault.at(POINTER))
        if any(value is not None for value in (self.attributes or {}).values()):
            raise InvalidRequestError(faults.inconsistent("need a category").at("/attributes"))
        return {"category_id": None, "attributes": {}, "attribute_words": ""}


def _merged(stored: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """RFC 7396: null removes."""
    if len(sent) > MOST_SENT:
        raise InvalidRequestError(faults.wrong_count("members", upper=MOST_SENT).at("/attributes"))
    return {name: value for name, value in {**stored, **sent}.items() if value is not None}


def _validated(
    tree: CategoryTree, slug: str, attributes: Mapping[str, Any], stored: Collection[str]
) -> dict[str, Any]:
    rules = tree.rules(slug)
    found = rules.faults(attributes, stored)
    if found:
        raise InvalidRequestError(*found)
    return {"attributes": rules.tidied(attributes), "attribute_words": rules.words(attributes)}
