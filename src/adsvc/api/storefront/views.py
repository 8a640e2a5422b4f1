"""The first view of a page as HTML: what people read before its scripts run, and crawlers always.

It has the classes that the app gives the same things, so nothing moves when the app takes over.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import format_decimal

from adsvc.api.html import html
from adsvc.enums import AttributeType, PriceType, SectionKind
from adsvc.errors import ConfigurationError
from adsvc.schemas.categories import Attribute
from adsvc.services.categories.reading import CategoryTree
from adsvc.services.mail.rendering import spoken
from adsvc.settings.money import Money

# The build writes here what the app says, by language.
WORDS = "words.json"

Record = Mapping[str, Any]

LONGEST_SLUG = 60
KIBIBYTE = 1024
LARGEST_LANGUAGE = 1024 * KIBIBYTE

MARKED_LATIN = re.compile("([a-z])[\u0300-\u036f]+")
WORD = re.compile(r"[^\W_]+")


def slug_of(title: str) -> str:
    """The title as a part of an address; empty for one without letters and digits.

    `web/src/data/adAddress.ts` makes the same.
    """
    plain = unicodedata.normalize("NFKD", title).lower().replace("ß", "ss")
    text = unicodedata.normalize("NFC", MARKED_LATIN.sub(r"\1", plain))
    slug = "-".join(WORD.findall(text))
    if len(slug) > LONGEST_SLUG:
        slug = slug[:LONGEST_SLUG].rpartition("-")[0] or slug[:LONGEST_SLUG]
    return slug


def ad_path(ad_id: int, slug: str) -> str:
    return f"/a/{ad_id}-{quote(slug)}" if slug else f"/a/{ad_id}"


@dataclass(frozen=True, slots=True)
class Words:
    """What views say in one language, and how it writes numbers and dates (Unicode CLDR)."""

    locale: Locale
    texts: Mapping[str, str]

    @property
    def language(self) -> str:
        return str(self.locale)

    def text(self, key: str, **values: str) -> str:
        """Plain text, which is not escaped yet."""
        text = self.texts.get(key, "")
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def counted(self, key: str, count: int) -> str:
        """The text in the form that goes with the number; empty in a build without it."""
        form = f"{key}.{self.locale.plural_form(count)}"
        found = form if form in self.texts else f"{key}.other"
        return self.text(found, count=self.number(count))

    def number(self, value: float) -> str:
        return _number(self.locale, value)

    def date(self, milliseconds: int) -> str:
        return _date(self.locale, datetime.fromtimestamp(milliseconds / 1000, UTC).date())


# As prices in `settings.money`.
@lru_cache(maxsize=4096)
def _number(locale: Locale, value: float) -> str:
    return format_decimal(value, locale=locale)


@lru_cache(maxsize=4096)
def _date(locale: Locale, day: date) -> str:
    return format_date(day, locale=locale)


ENGLISH = "en"


def read_words(content: bytes) -> Mapping[str, Words]:
    """By language."""
    return {
        language: Words(Locale.parse(language), said["texts"])
        for language, said in json.loads(content).items()
    }


class Language(NamedTuple):
    """One of the operator: its words, and the file as the app loads it."""

    words: Words
    content: bytes


def further_languages(directory: Path | None, built: Mapping[str, Words]) -> dict[str, Language]:
    """Those of the operator, by tag; the words in English are there for what they lack.

    `ConfigurationError` says what is wrong with a file.
    """
    paths = sorted(directory.glob("*.json")) if directory else ()
    return {path.stem: _language(path, built) for path in paths}


def _language(path: Path, built: Mapping[str, Words]) -> Language:
    try:
        locale = Locale.parse(path.stem)
    except (ValueError, UnknownLocaleError):
        locale = None
    if locale is None or locale.territory or path.stem in built:
        raise _refusal(f"{path.name} must have the name of a further language: fr.json")
    content = path.read_bytes()
    if len(content) > LARGEST_LANGUAGE:
        raise _refusal(f"{path.name} has more than {LARGEST_LANGUAGE // KIBIBYTE} KiB")
    try:
        texts = json.loads(content)
    except ValueError:
        raise _refusal(f"{path.name} must be JSON in UTF-8") from None
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise _refusal(f'{path.name} must be an object of texts: {{"search.button": "Chercher"}}')
    english = built[ENGLISH].texts if ENGLISH in built else {}
    return Language(Words(locale, {**english, **texts}), content)


def _refusal(text: str) -> ConfigurationError:
    return ConfigurationError(f"ADSVC_LANGUAGES_DIR: {text}")


def chosen(words: Iterable[str], requested: str, accepted: str, site: Sequence[str]) -> str:
    """One of the languages, for `?lang=`, or `Accept-Language`, or the site's languages."""
    tags = [tag.partition("-")[0] for tag in (requested, *spoken(accepted), *site)]
    known = list(words)
    return next((tag for tag in tags if tag in known), known[0])


def offered(words: Mapping[str, Words], site: Sequence[str]) -> Mapping[str, Words]:
    """Those of the site's languages, or English if the build has none of them."""
    tags = [tag.partition("-")[0] for tag in site]
    found = {language: said for language, said in words.items() if language in tags}
    return found or {tag: said for tag, said in words.items() if tag == ENGLISH} or words


@dataclass(frozen=True, slots=True)
class Icons:
    """The symbols of the build's sprites; none in a build without them."""

    address: str = ""
    # Of the sprite of categories.
    categories: str = ""
    names: frozenset[str] = frozenset()

    def symbol(self, name: str) -> str:
        return name if name in self.names else "tag"


class FirstPicture(NamedTuple):
    """A picture in the sizes that the app offers, so that none is loaded twice."""

    src: str
    srcset: str = ""
    sizes: str = "(min-width: 60rem) 40rem, 100vw"


class Section(NamedTuple):
    """A section of the home page, in one language."""

    kind: str
    title: str = ""
    text: str = ""


# The storefront's own home page, as far as it has first views.
OWN_SECTIONS = (Section(SectionKind.CATEGORIES), Section(SectionKind.NEWEST))

# Types whose values say nothing without their name, or say much.
WORDY = {AttributeType.BOOLEAN, AttributeType.STRING}
# As `FACTS` of the app.
MOST_FACTS = 3
# A short word, or a number that has no unit and is no year, says little without its name.
BARE = re.compile(r".{1,2}|\d{3}|\d+\.\d+")


@dataclass(frozen=True, slots=True)
class View:
    """Writes the first views of a site in one language."""

    words: Words
    site_name: str
    currency: Money
    # Addresses and titles of the operator's pages.
    links: Sequence[tuple[str, str]] = ()
    icons: Icons = Icons()
    # Of the site, as in `schemas.site.SiteTexts`.
    texts: Mapping[str, str] = field(default_factory=dict)
    # As `links`, for the menu.
    menu: Sequence[tuple[str, str]] = ()
    # Of the home page; empty for its own.
    sections: Sequence[Section] = ()

    def _html(self, template: str, *, typed: str = "", **values: object) -> str:
        return html(template, view=self, typed=typed, **values)

    def home(self, tree: CategoryTree, counts: Mapping[str, int], ads: Sequence[Record]) -> str:
        roots = tree.children.get(None, [])
        sections = self.sections or OWN_SECTIONS
        return self._html("home", tree=tree, roots=roots, counts=counts, ads=ads, sections=sections)

    def results(
        self,
        heading: str,
        found: Record,
        tree: CategoryTree,
        *,
        path: str,
        filters: Sequence[tuple[str, str]] = (),
        below: Sequence[tuple[str, str]] = (),
    ) -> str:
        """A page of `schemas.ads.Ads`.

        `path` and `filters` are the page's address, `below` the categories below its own.
        """
        key = "results.count" if found["countExact"] else "results.countAtLeast"
        cursor, suggestion = found["next"], found.get("suggestion")
        others = [pair for pair in filters if pair[0] != "q"]
        return self._html(
            "results",
            typed=dict(filters).get("q", ""),
            heading=heading,
            count=self.words.counted(key, found["count"]),
            ads=found["results"],
            tree=tree,
            relaxed=[
                self.words.text(f"results.relaxed{one['kind'].capitalize()}", **one, name=one["to"])
                for one in found.get("relaxed", ())
            ],
            further=cursor and f"{path}?{urlencode([*filters, ('cursor', cursor)])}",
            suggestion=suggestion,
            suggested=suggestion and f"{path}?{urlencode([*others, ('q', suggestion)])}",
            below=below,
        )

    def seller(self, seller: Record, ads: Sequence[Record], tree: CategoryTree) -> str:
        return self._html("seller", seller=seller, ads=ads, tree=tree)

    def ad(self, ad: Record, tree: CategoryTree | None, crumbs: Sequence[tuple[str, str]]) -> str:
        return self._html(
            "ad",
            ad=ad,
            crumbs=crumbs,
            picture=first_picture(ad),
            attributes=[(self._label(one), text) for one, text in self._attributes(ad, tree)],
            others=[(image["image"], _smallest(image)) for image in ad["images"][1:]],
        )

    def said(self, key: str, **values: str) -> str:
        return self.words.text(key, **values)

    def path(self, ad: Record) -> str:
        return ad_path(ad["pk"], slug_of(ad["title"]))

    def money(self, amount: int) -> str:
        return self.currency.text(amount, self.words.language)

    def price(self, ad: Record) -> str:
        if ad["priceType"] in {PriceType.FREE, PriceType.ON_REQUEST}:
            return self.words.text(f"price.{ad['priceType']}")
        return self.money(ad["price"])

    def facts(self, ad: Record, tree: CategoryTree) -> str:
        """What a card says of the ad: the first values that its title does not have."""
        title = ad["title"].casefold()
        texts = (
            f"{self._label(attribute)} {text}" if BARE.fullmatch(text) else text
            for attribute, text in self._attributes(ad, tree, own_first=True)
            if attribute.type not in WORDY and text.casefold() not in title
        )
        return " · ".join(islice(texts, MOST_FACTS))

    def _label(self, attribute: Attribute) -> str:
        return attribute.labels.get(self.words.language, attribute.label or attribute.name)

    def _attributes(
        self, ad: Record, tree: CategoryTree | None, *, own_first: bool = False
    ) -> Iterator[tuple[Attribute, str]]:
        """Attributes and the texts of their values; `own_first` puts inherited attributes last."""
        if tree is None or ad["category"] not in tree.nodes:
            return
        known = tree.attributes(ad["category"])
        if own_first:
            known.sort(key=lambda one: one.inherited)
        for attribute in (one.attribute for one in known):
            value = ad["attributes"].get(attribute.name)
            if value is None:
                continue
            if isinstance(value, bool):
                text = self.words.text("value.yes" if value else "value.no")
            elif isinstance(value, str):
                options = (one for one in attribute.options or () if one.value == value)
                option = next(options, None)
                text = value
                if option is not None:
                    text = option.labels.get(self.words.language, option.label or value)
            else:
                # Without a unit it may be a year, which has no separators.
                unit = attribute.unit
                text = f"{self.words.number(value)} {unit}" if unit else str(value)
            yield attribute, text


def _smallest(image: Record) -> str:
    variant = image["variants"].get("thumb") or image["variants"].get("card")
    return str(variant["path"] if variant else image["image"])


def first_picture(ad: Record) -> FirstPicture:
    """Of an ad's details."""
    if not ad["images"]:
        return FirstPicture(ad["image"])
    image = ad["images"][0]
    card = image["variants"].get("card")
    sizes = [(card["path"], card["width"])] if card else []
    if image.get("width"):
        sizes.append((image["image"], image["width"]))
    srcset = ", ".join(f"{path} {width}w" for path, width in sizes)
    return FirstPicture(card["path"] if card else image["image"], srcset)
