"""Categories, their attributes, and the JSON Schema made of these."""

import re
from collections.abc import Hashable, Iterable
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    StrictBool,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import InitErrorDetails

from adsvc.enums import AttributeType
from adsvc.kit import faults
from adsvc.kit.normalisation import as_line
from adsvc.kit.records import LINE, Record, refused

# Beyond it JavaScript and others round: no number of an ad is larger.
LARGEST_NUMBER = 2**53 - 1

LONGEST_TEXT = 1000
DEFAULT_TEXT_LENGTH = 200
MOST_OPTIONS = 500
MOST_ATTRIBUTES = 100
MOST_LANGUAGES = 100
LONGEST_NAME = 100

# BCP 47, as far as sites use it: `de`, `pt-BR`, `zh-Hant`.
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")

# Each ad of the category has all of them among its words.
MOST_SYNONYMS = 100
LONGEST_SYNONYM = 40

SYMBOL = re.compile(r'<symbol id="([a-z0-9-]+)"')


def _languages(names: object) -> object:
    """The whole of it at once: names of languages that are none are not to be repeated."""
    if not isinstance(names, dict):
        raise refused(faults.wrong_type("object", "must have names by language tag"))
    if len(names) > MOST_LANGUAGES:
        raise refused(faults.wrong_count("languages", upper=MOST_LANGUAGES))
    normal = {language: _as_line(name) for language, name in names.items()}
    for language, name in normal.items():
        if not LANGUAGE.fullmatch(language):
            raise refused(faults.wrong_format("must have language tags as keys: de, pt-BR"))
        if not 1 <= len(name) <= LONGEST_NAME:
            detail = f"must have names of 1 to {LONGEST_NAME} characters"
            raise refused(faults.wrong_format(detail, minLength=1, maxLength=LONGEST_NAME))
    return normal


def _as_line(value: object) -> str:
    """Empty for what is no text."""
    return as_line(value) if isinstance(value, str) else ""


def _words_by_language(synonyms: object) -> object:
    """The whole of it at once, as with names."""
    if not isinstance(synonyms, dict):
        raise refused(faults.wrong_type("object", "must have lists of words by language tag"))
    if len(synonyms) > MOST_LANGUAGES:
        raise refused(faults.wrong_count("languages", upper=MOST_LANGUAGES))
    normal: dict[str, list[str]] = {}
    for language, words in synonyms.items():
        if not LANGUAGE.fullmatch(language):
            raise refused(faults.wrong_format("must have language tags as keys: de, pt-BR"))
        if not isinstance(words, list):
            raise refused(faults.wrong_type("array", "must have lists of words"))
        normal[language] = [_as_line(word) for word in words]
        if not all(1 <= len(word) <= LONGEST_SYNONYM for word in normal[language]):
            detail = f"must have words of 1 to {LONGEST_SYNONYM} characters"
            raise refused(faults.wrong_format(detail, minLength=1, maxLength=LONGEST_SYNONYM))
        require_distinct("words", normal[language])
    if sum(map(len, normal.values())) > MOST_SYNONYMS:
        raise refused(faults.wrong_count("words", upper=MOST_SYNONYMS))
    return normal


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refused(faults.wrong_type("number"))
    if not abs(value) <= LARGEST_NUMBER:
        limits = -LARGEST_NUMBER, LARGEST_NUMBER
        raise refused(faults.out_of_range(*limits, of_type="number"))
    return int(value) if value == int(value) else value


def require_distinct(what: str, values: Iterable[Hashable]) -> None:
    """`what` names the values, in the plural."""
    listed = list(values)
    if len(set(listed)) < len(listed):
        raise refused(faults.duplicate(what))


def _distinct(what: str, member: str) -> AfterValidator:
    def check(records: list[Any]) -> list[Any]:
        require_distinct(what, (getattr(record, member) for record in records))
        return records

    return AfterValidator(check)


@cache
def icon_names() -> frozenset[str]:
    """The icons that come with the storefront: the symbols of its sprite."""
    sprite = (files("adsvc.schemas") / "category-icons.svg").read_text("utf-8")
    return frozenset(SYMBOL.findall(sprite))


def _icon(name: str) -> str:
    if name not in icon_names():
        raise refused(faults.unknown("must be an icon that comes with the storefront: car"))
    return name


DisplayName = Annotated[str, LINE, StringConstraints(min_length=1, max_length=LONGEST_NAME)]

Names = Annotated[
    dict[str, str],
    BeforeValidator(_languages),
    Field(
        description="Translations of the name, by language tag (BCP 47).",
        examples=[{"de": "Breite", "fr": "Largeur"}],
    ),
]

Synonyms = Annotated[
    dict[str, list[str]],
    BeforeValidator(_words_by_language),
    Field(
        description="Other words for it, by language tag (BCP 47). Like its names, a search finds "
        f"its ads by them. At most {MOST_SYNONYMS} in all.",
        examples=[{"en": ["couch", "cupboard"], "de": ["Schrank"]}],
    ),
]

Icon = Annotated[
    str,
    AfterValidator(_icon),
    Field(
        pattern="^[a-z0-9-]{1,40}$",
        description="Its icon on the home page, of the set that comes with the storefront. "
        "Null for a tag.",
        examples=["armchair"],
    ),
]
Colour = Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$"), AfterValidator(str.lower)]

Bound = Annotated[int | float, PlainValidator(_number), WithJsonSchema({"type": "number"})]


class AttributeOption(Record):
    """A value that an attribute of the type `enum` may have."""

    value: Annotated[
        str,
        LINE,
        # A filter has `|` between options.
        StringConstraints(pattern=r"^[^|]+$", max_length=64),
        Field(examples=["wood"]),
    ]
    """The value as ads and filters have it."""
    label: Annotated[DisplayName | None, Field(examples=["Wood"])] = None
    """Its name in the language of the site. Null means the value itself."""
    labels: Names = Field(default_factory=dict)


class Attribute(Record):
    """An attribute that a category defines for its ads and for those of the categories below."""

    name: Annotated[
        str, StringConstraints(pattern="^[a-z][A-Za-z0-9]{0,39}$"), Field(examples=["width"])
    ]
    """The name as ads and filters have it."""
    label: Annotated[DisplayName | None, Field(examples=["Width"])] = None
    """Its name in the language of the site. Null means `name`."""
    labels: Names = Field(default_factory=dict)
    type: Annotated[AttributeType, Field(examples=["integer"])]
    """The type of its values."""
    unit: Annotated[
        Annotated[str, LINE, StringConstraints(min_length=1, max_length=20)] | None,
        Field(examples=["cm"]),
    ] = None
    """The unit to show behind numbers. Null for none."""
    minimum: Annotated[Bound | None, Field(examples=[1])] = None
    """The lowest number allowed. Null for no bound."""
    maximum: Annotated[Bound | None, Field(examples=[2000])] = None
    """The highest number allowed. Null for no bound."""
    max_length: Annotated[
        int | None,
        Field(
            ge=1,
            le=LONGEST_TEXT,
            description=f"The most characters of a text. Null means {DEFAULT_TEXT_LENGTH}.",
            examples=[200],
        ),
    ] = None
    options: Annotated[
        list[AttributeOption],
        Field(default_factory=list, max_length=MOST_OPTIONS),
        _distinct("values", "value"),
    ]
    """The values to choose from, for the type `enum`; empty for other types."""
    required: Annotated[StrictBool, Field(examples=[True])] = False
    """Whether an ad must have it."""
    filterable: Annotated[StrictBool, Field(examples=[True])] = False
    """Whether `GET /ads` filters by it (`attr`). Not for text."""
    facetable: Annotated[StrictBool, Field(examples=[True])] = False
    """Whether `GET /ads/facets` counts its values. Not for text."""

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        found = [refused(faults.inconsistent(detail)) for detail in self._faults()]
        if found:
            # One raised alone would hide the others.
            errors = [InitErrorDetails(type=fault, input=None) for fault in found]
            raise ValidationError.from_exception_data("Attribute", errors)
        self.label = self.label or self.name
        for option in self.options:
            option.label = option.label or option.value
        return self

    def _faults(self) -> Iterable[str]:
        """What the type, or another member, does not allow."""
        kind = self.type
        bounds = [bound for bound in (self.minimum, self.maximum) if bound is not None]
        if bounds and not kind.is_number:
            yield "minimum and maximum are of numbers alone"
        if kind is AttributeType.INTEGER and any(bound != int(bound) for bound in bounds):
            yield "minimum and maximum of whole numbers must be whole"
        if bounds != sorted(bounds):
            yield "minimum must not be above maximum"
        if self.max_length is not None and kind is not AttributeType.STRING:
            yield "maxLength is of text alone"
        if bool(self.options) is not (kind is AttributeType.ENUM):
            yield "options are of the type enum, which needs at least one"
        if kind is AttributeType.STRING and (self.filterable or self.facetable):
            yield "text can be neither filterable nor facetable"

    def stored(self) -> dict[str, Any]:
        """As the database keeps it."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


SLUG = "[a-z0-9-]{1,64}"
MOST_CATEGORIES = 5000
LARGEST_POSITION = 2**31 - 1

Slug = Annotated[
    str,
    StringConstraints(pattern=f"^{SLUG}$"),
    Field(
        description="The category's name in addresses and filters; it never changes.",
        examples=["furniture"],
    ),
]


def _own(attributes: object) -> object:
    """A record that was read and is sent back has the inherited ones too."""
    if not isinstance(attributes, list):
        return attributes
    return [
        attribute
        for attribute in attributes
        if not (isinstance(attribute, dict) and attribute.get("inherited") is True)
    ]


class CategoryDefinition(Record):
    """The whole definition of a category. It replaces the one before: nothing else is kept."""

    parent: Annotated[Slug | None, Field(examples=["home"])] = None
    """The slug of the category above. Null for a root of the tree."""
    name: Annotated[DisplayName, Field(examples=["Furniture"])]
    """Its name in the language of the site."""
    names: Names = Field(default_factory=dict)
    synonyms: Synonyms = Field(default_factory=dict)
    position: Annotated[
        int, Field(ge=-LARGEST_POSITION, le=LARGEST_POSITION, strict=True, examples=[10])
    ] = 0
    """Its place among its siblings, the lowest first; then by name."""
    icon: Icon | None = None
    color: Annotated[Colour | None, Field(examples=["#0b5d57"])] = None
    """The colour of its icon. Null for the accent of the site."""
    attributes: Annotated[
        list[Attribute],
        Field(default_factory=list, max_length=MOST_ATTRIBUTES),
        BeforeValidator(_own),
        _distinct("names", "name"),
    ]
    """The attributes that it defines itself. Those marked as `inherited` are ignored, so that a
    category that was read can be sent back."""

    def stored(self) -> dict[str, Any]:
        """What the database keeps of it as it is."""
        return {
            "name": self.name,
            "names": self.names,
            "synonyms": self.synonyms,
            "position": self.position,
            "icon": self.icon,
            "color": self.color,
            "attributes": [attribute.stored() for attribute in self.attributes],
        }


class NamedCategory(CategoryDefinition):
    """One of a file."""

    slug: Slug


class CategoryFile(Record):
    categories: Annotated[
        list[NamedCategory], Field(max_length=MOST_CATEGORIES), _distinct("slugs", "slug")
    ]


class CategoryAttribute(Attribute):
    """An attribute of a category, its own or inherited."""

    inherited: Annotated[bool, Field(examples=[False])]
    """Whether a category above defines it."""


class Category(Record):
    """A category of the tree, with all attributes that its ads may have."""

    slug: Slug
    parent: Annotated[str | None, Field(examples=["home"])]
    """The slug of the category above. Null for a root of the tree."""
    name: Annotated[str, Field(examples=["Furniture"])]
    """Its name in the language of the site."""
    names: Names
    synonyms: Synonyms
    position: Annotated[int, Field(examples=[10])]
    """Its place among its siblings, the lowest first."""
    icon: Annotated[str | None, Field(examples=["armchair"])]
    """Its icon on the home page, of the set that comes with the storefront. Null for a tag."""
    color: Annotated[str | None, Field(examples=["#0b5d57"])]
    """The colour of its icon. Null for the accent of the site."""
    attributes: list[CategoryAttribute]
    """Its attributes: first those of the categories above, then its own."""
    count: Annotated[int, Field(examples=[12])]
    """How many ads everyone sees in it and in the categories below it."""


class MoveAds(Record):
    """Where the ads of a category go."""

    to: Annotated[Slug, Field(description="The slug of another category.", examples=["home"])]
    dry_run: Annotated[bool, Field(strict=True, examples=[True])] = False
    """Whether only to count them. Nothing is changed then."""


class MovedAds(Record):
    """How many ads a request has moved to another category."""

    moved: Annotated[int, Field(ge=0, examples=[200])]
    """Those that this request has moved; at most 200."""
    remaining: Annotated[int, Field(ge=0, examples=[4800])]
    """Those that the category still has, whatever their status. Until there is none, send the
    request again."""


class Categories(Record):
    """The tree of categories."""

    results: list[Category]
    """All categories in the order of display, parents before children."""
