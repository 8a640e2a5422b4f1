"""The first view of a page as HTML: what people read before its scripts run, and crawlers always.

It has the classes that the app gives the same things, so nothing moves when the app takes over.
Everything that people wrote goes through `escape`.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any
from urllib.parse import quote, urlencode

from adsvc.models import AdStatus, PriceType
from adsvc.services.categories.reading import CategoryTree
from adsvc.services.mail.rendering import spoken

# The build writes here what the app says, by language.
WORDS = "words.json"

Record = Mapping[str, Any]

# Cards that are above the fold: their pictures are loaded at once.
EAGER = 4

LONGEST_SLUG = 60

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


def russian_form(count: int) -> str:
    """The plural category of Unicode CLDR."""
    last, two = count % 10, count % 100
    if last == 1 and two != 11:  # noqa: PLR2004 - numbers of the language
        return "one"
    return "few" if last in {2, 3, 4} and two not in {12, 13, 14} else "many"


@dataclass(frozen=True, slots=True)
class Words:
    """What views say in one language."""

    language: str
    texts: Mapping[str, str]
    # Such as `¤{n}`, the sign between thousands, and the signs of currencies.
    money_pattern: str
    group: str
    symbols: Mapping[str, str]
    # How a day is written, by month: `{d} Nov {y}`. A build of an earlier version has none.
    dates: Sequence[str] = ()

    def text(self, key: str, **values: str) -> str:
        """Plain text, which is not escaped yet."""
        text = self.texts.get(key, "")
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def counted(self, key: str, count: int) -> str:
        """The text in the form that goes with the number; empty in a build without it."""
        form = "one" if count == 1 else "other"
        if self.language == "ru":
            form = russian_form(count)
        return self.text(f"{key}.{form}", count=self.number(count))

    def number(self, value: int) -> str:
        return f"{value:,}".replace(",", self.group)

    def money(self, amount: int, currency: str) -> str:
        number = self.number(amount)
        symbol = self.symbols.get(currency, currency)
        return self.money_pattern.replace("{n}", number).replace("¤", symbol)

    def date(self, milliseconds: int) -> str:
        if not self.dates:
            return ""
        day = datetime.fromtimestamp(milliseconds / 1000, UTC)
        pattern = self.dates[day.month - 1]
        return pattern.replace("{d}", str(day.day)).replace("{y}", str(day.year))

    def price(self, ad: Record, currency: str) -> str:
        if ad["priceType"] in {PriceType.FREE, PriceType.ON_REQUEST}:
            return self.text(f"price.{ad['priceType']}")
        return self.money(ad["price"], currency)


_NAMES = {"money": "money_pattern"}
ENGLISH = "en"


def read_words(content: bytes) -> Mapping[str, Words]:
    """By language."""
    return {
        language: Words(language, **{_NAMES.get(name, name): value for name, value in said.items()})
        for language, said in json.loads(content).items()
    }


def chosen(words: Iterable[str], asked: str, accepted: str, site: Sequence[str]) -> str:
    """One of the languages, for `?lang=`, or `Accept-Language`, or the site's languages."""
    tags = [tag.partition("-")[0] for tag in (asked, *spoken(accepted), *site)]
    known = list(words)
    return next((tag for tag in tags if tag in known), known[0])


def offered(words: Mapping[str, Words], site: Sequence[str]) -> Mapping[str, Words]:
    """Those of the site's languages, or English if the build has none of them."""
    tags = [tag.partition("-")[0] for tag in site]
    found = {language: said for language, said in words.items() if language in tags}
    return found or {tag: said for tag, said in words.items() if tag == ENGLISH} or words


@dataclass(frozen=True, slots=True)
class Icons:
    """The symbols of the build's sprite; none in a build without it."""

    address: str = ""
    names: frozenset[str] = frozenset()

    def html(self, name: str, size: int, *, otherwise: str = "tag") -> str:
        symbol = name if name in self.names else otherwise
        use = f'<use href="{self.address}#{symbol}"/>' if self.address else ""
        return f'<svg class="icon" width="{size}" height="{size}" aria-hidden="true">{use}</svg>'


@dataclass(frozen=True, slots=True)
class View:
    """Writes the first views of a site in one language."""

    words: Words
    site_name: str
    currency: str
    # Addresses and titles of the operator's pages.
    links: Sequence[tuple[str, str]] = ()
    icons: Icons = Icons()

    def home(self, tree: CategoryTree, counts: Mapping[str, int], ads: Sequence[Record]) -> str:
        tiles = "".join(
            f'<li><a href="/c/{node.slug}">{self.icons.html(f"of-{node.slug}", 28)}'
            f"<span>{self._named(node.name, node.names)}</span>"
            f'<span class="count">{self.words.number(counts.get(node.slug, 0))}</span></a></li>'
            for node in tree.children.get(None, [])
        )
        title = self._text("home.title", site=self.site_name)
        return self._frame(
            f'<div class="hero"><div class="hero-inner"><h1><span class="unseen">{title}. </span>'
            f'{self._text("home.hero")}</h1>{self.search()}</div></div><div class="page">'
            f'<section aria-labelledby="categories"><h2 id="categories" class="unseen">'
            f'{self._text("home.categories")}</h2><ul class="category-tiles">{tiles}</ul></section>'
            f'<section aria-labelledby="newest"><div class="heading-row"><h2 id="newest">'
            f'{self._text("home.newest")}</h2><a href="/search">{self._text("home.allPlain")}</a>'
            f"</div>{self._cards(ads)}</section></div>",
            search="",
        )

    def results(
        self,
        heading: str,
        found: Record,
        *,
        path: str,
        filters: Sequence[tuple[str, str]] = (),
        below: Sequence[tuple[str, str]] = (),
    ) -> str:
        """A page of `schemas.ads.Ads`, with room for the filters that the app puts there.

        `path` and `filters` are the page's address, `below` the categories below its own.
        """
        ads = found["results"]
        key = "results.count" if found["countExact"] else "results.countAtLeast"
        count = escape(self.words.counted(key, found["count"])) or "&nbsp;"
        return self._frame(
            f'<div class="page results"><h1>{escape(heading)}</h1>'
            '<div class="quick room"><span class="button">&nbsp;</span></div>'
            '<div class="results-bar room"><span class="button">&nbsp;</span></div>'
            '<div class="results-columns"><aside class="filters"></aside>'
            f'<section aria-label="{self._text("results.list")}"><div class="save-search room">'
            f'<span class="button">&nbsp;</span></div><p class="faint">{count}</p>'
            f"{self._cards(ads) if ads else ''}{self._further(found, path, filters)}"
            f"{self._below(below)}</section></div></div>",
            search=self.search(dict(filters).get("q", "")),
        )

    def _further(self, found: Record, path: str, filters: Sequence[tuple[str, str]]) -> str:
        """What there is after the ads, or instead of them."""
        if found["next"] is not None:
            href = escape(f"{path}?{urlencode([*filters, ('cursor', found['next'])])}")
            text = self._text("results.more")
            return f'<p><a class="button" rel="next" href="{href}">{text}</a></p>'
        if found["results"]:
            return ""
        said = self._text("results.none")
        if suggestion := found.get("suggestion"):
            others = [pair for pair in filters if pair[0] != "q"]
            href = escape(f"{path}?{urlencode([*others, ('q', suggestion)])}")
            link = f'<a href="{href}" dir="auto">{escape(suggestion)}</a>'
            said = f"{self._text('results.didYouMean')} {link}"
        return f'<p>{said}</p><p><a href="/search">{self._text("results.showAll")}</a></p>'

    def _below(self, below: Sequence[tuple[str, str]]) -> str:
        if not below:
            return ""
        links = "".join(f'<li><a href="/c/{slug}">{escape(name)}</a></li>' for slug, name in below)
        return f'<nav aria-label="{self._text("home.categories")}"><ul>{links}</ul></nav>'

    def seller(self, seller: Record, ads: Sequence[Record]) -> str:
        name = seller["firstName"] or self.words.text("seller.unnamed")
        verified = ""
        avatar = (
            '<svg class="avatar" width="72" height="72" viewBox="0 0 48 48" aria-hidden="true">'
            f'<text x="24" y="31">{escape(name[:1].upper())}</text></svg>'
        )
        if seller["image"]:
            src = escape(seller["image"])
            avatar = f'<img class="avatar" src="{src}" alt="" width="72" height="72">'
        if seller["verified"]:
            verified = f'<span class="badge verified">{self._text("seller.verified")}</span>'
        since = self._text("seller.since", date=self.words.date(seller["since"]))
        return self._frame(
            f'<div class="page"><header class="panel seller-head">{avatar}<div>'
            f"<h1>{self._about('seller.page', name)}</h1><p>{since} {verified}</p></div>"
            f"</header>{self._cards(ads)}</div>",
            search=self.search(),
        )

    def ad(self, ad: Record, tree: CategoryTree | None, crumbs: Sequence[tuple[str, str]]) -> str:
        way = "".join(f'<li><a href="/c/{slug}">{escape(name)}</a></li>' for slug, name in crumbs)
        before = ""
        if ad.get("priceBefore") is not None:
            text = self._text(
                "ad.priceBefore", price=self.words.money(ad["priceBefore"], self.currency)
            )
            before = f' <span class="before">{text}</span>'
        place = f'<p class="faint" dir="auto">{escape(ad["place"])}</p>' if ad["place"] else ""
        return self._frame(
            f'<article class="page ad"><nav class="breadcrumbs"><ol><li><a href="/search">'
            f'{self._text("results.title")}</a></li>{way}</ol></nav><div class="ad-columns">'
            f'<section class="gallery"><div class="stage-frame"><ul class="stage"><li>'
            f"{first_picture(ad).html(ad['title'])}</li></ul></div></section>"
            f'<div class="ad-side"><h1 dir="auto">{escape(ad["title"])}</h1><p class="price large">'
            f"{self._price(ad, free='free')}{before}</p>{place}"
            f"{self._status(ad)}{self._origin(ad)}</div>"
            f'<div class="ad-body">{self._attributes(ad, tree)}<section><h2>'
            f'{self._text("ad.description")}</h2><p class="as-written" dir="auto">'
            f"{escape(ad['description'])}"
            f"</p></section>{self._pictures(ad)}</div></div></article>",
            search=self.search(),
        )

    def _status(self, ad: Record) -> str:
        if ad["status"] != AdStatus.RESERVED:
            return ""
        return f'<p><span class="badge">{self._text("status.reserved")}</span></p>'

    def _origin(self, ad: Record) -> str:
        """Who posted it, and when."""
        author = ad["author"]
        name = f"<bdi>{escape(author['firstName']) or self._text('seller.unnamed')}</bdi>"
        date = self._text("ad.posted", date=self.words.date(ad["createdAt"]))
        return (
            f'<p>{self._text("seller.title")}: <a href="/seller/{author["id"]}">{name}</a></p>'
            f'<p class="faint">{date}</p>'
        )

    def _pictures(self, ad: Record) -> str:
        """All but the first, small, each leading to the whole."""
        pictures = "".join(
            f'<li><a href="{escape(image["image"])}"><img src="{escape(_smallest(image))}" '
            f'alt="{escape(ad["title"])} {number}" width="320" height="240" loading="lazy"></a>'
            "</li>"
            for number, image in enumerate(ad["images"][1:], start=2)
        )
        return f'<section><ul class="cards">{pictures}</ul></section>' if pictures else ""

    def _frame(self, main: str, *, search: str) -> str:
        return (
            '<header class="top"><div class="bar"><a class="brand" href="/">'
            f"{self.icons.html('tag', 24)}"
            f"<span>{escape(self.site_name)}</span></a>{search}</div></header>"
            f'<main id="main">{main}</main>{self._footer()}'
        )

    def _footer(self) -> str:
        links = [*self.links, ("/docs", self.words.text("shell.interface") or "API")]
        items = "".join(
            f'<li><a href="{escape(href)}">{escape(title)}</a></li>' for href, title in links
        )
        return (
            '<footer class="bottom"><div class="bottom-inner">'
            f'<nav aria-label="{self._text("shell.about")}"><ul>{items}</ul></nav>'
            f'<p class="faint">{escape(self.site_name)}</p></div></footer>'
        )

    def search(self, typed: str = "") -> str:
        """The search box, which works without scripts."""
        value = f' value="{escape(typed)}"' if typed else ""
        return (
            '<search class="search"><form action="/search"><input name="q" inputmode="search" '
            f'dir="auto" maxlength="256" aria-label="{self._text("search.label")}" '
            f'placeholder="{self._text("search.placeholder")}"{value}><button type="submit" '
            f'aria-label="{self._text("search.button")}">{self.icons.html("search", 20)}'
            "</button></form></search>"
        )

    def _cards(self, ads: Iterable[Record]) -> str:
        cards = (self._card(ad, eager=place < EAGER) for place, ad in enumerate(ads))
        return f'<ul class="cards">{"".join(cards)}</ul>'

    def _card(self, ad: Record, *, eager: bool) -> str:
        loading = 'fetchpriority="high"' if eager else 'loading="lazy"'
        reserved = ""
        if ad["status"] == AdStatus.RESERVED:
            badge = self._text("status.reserved")
            reserved = f'<span class="veil"><span class="badge">{badge}</span></span>'
        return (
            f'<li class="card"><div class="picture"><img src="{escape(ad["thumbnail"])}" alt="" '
            f'width="320" height="240" {loading}>{reserved}</div><div class="card-text">'
            f'<span class="price one-line">{self._price(ad)}</span>'
            f'<a class="card-title" dir="auto" href="{ad_path(ad["pk"], slug_of(ad["title"]))}">'
            f'{escape(ad["title"])}</a><span class="faint one-line" dir="auto">'
            f"{escape(ad['place'] or '')}"
            '&nbsp;</span><span class="faint one-line">'
            f"{escape(self.words.date(ad['createdAt']))}</span></div></li>"
        )

    def _price(self, ad: Record, *, free: str = "tag good") -> str:
        text = escape(self.words.price(ad, self.currency))
        if ad["priceType"] == PriceType.FREE:
            return f'<span class="{free}">{text}</span>'
        if ad["priceType"] == PriceType.NEGOTIABLE:
            return f"{text} <small>{self._text('price.quiet')}</small>"
        return text

    def _attributes(self, ad: Record, tree: CategoryTree | None) -> str:
        if tree is None or ad["category"] not in tree.nodes:
            return ""
        lines = "".join(
            f'<div><dt>{escape(name)}</dt><dd dir="auto">{escape(value)}</dd></div>'
            for name, value in self._values(ad["attributes"], tree, ad["category"])
        )
        if not lines:
            return ""
        heading = self._text("ad.attributes")
        return f'<section><h2>{heading}</h2><dl class="attributes">{lines}</dl></section>'

    def _values(self, values: Record, tree: CategoryTree, slug: str) -> Iterator[tuple[str, str]]:
        for attribute in (inherited.attribute for inherited in tree.attributes(slug)):
            value = values.get(attribute.name)
            if value is None:
                continue
            label = attribute.labels.get(self.words.language, attribute.label or attribute.name)
            if isinstance(value, bool):
                text = self.words.text("value.yes" if value else "value.no")
            elif isinstance(value, str):
                options = (one for one in attribute.options or () if one.value == value)
                option = next(options, None)
                text = value
                if option is not None:
                    text = option.labels.get(self.words.language, option.label or value)
            else:
                text = " ".join(filter(None, [str(value), attribute.unit]))
            yield label, text

    def _named(self, name: str, names: Mapping[str, str]) -> str:
        return escape(names.get(self.words.language, name))

    def _about(self, key: str, name: str) -> str:
        """A sentence with a name in it, which may be in another direction of writing."""
        return self._text(key, name="\0").replace("\0", f"<bdi>{escape(name)}</bdi>")

    def _text(self, key: str, **values: str) -> str:
        return escape(self.words.text(key, **values))


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """A picture in the sizes that the app offers, so that none is loaded twice."""

    src: str
    srcset: str

    SIZES = "(min-width: 60rem) 40rem, 100vw"

    def html(self, text: str) -> str:
        sizes = f' srcset="{escape(self.srcset)}" sizes="{self.SIZES}"' if self.srcset else ""
        return f'<img src="{escape(self.src)}"{sizes} alt="{escape(text)}" fetchpriority="high">'

    def preload(self) -> str:
        sizes = (
            f' imagesrcset="{escape(self.srcset)}" imagesizes="{self.SIZES}"' if self.srcset else ""
        )
        return (
            f'<link rel="preload" as="image" href="{escape(self.src)}"{sizes} fetchpriority="high">'
        )


def _smallest(image: Record) -> str:
    variant = image["variants"].get("thumb") or image["variants"].get("card")
    return str(variant["path"] if variant else image["image"])


def first_picture(ad: Record) -> FirstPicture:
    """Of an ad's details."""
    if not ad["images"]:
        return FirstPicture(ad["image"], "")
    image = ad["images"][0]
    card = image["variants"].get("card")
    sizes = [(card["path"], card["width"])] if card else []
    if image.get("width"):
        sizes.append((image["image"], image["width"]))
    srcset = ", ".join(f"{path} {width}w" for path, width in sizes)
    return FirstPicture(card["path"] if card else image["image"], srcset)
