"""Heads of pages: titles, descriptions and structured data (schema.org) for search engines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from adsvc.api.storefront.files import (
    Head,
    SharedImage,
)
from adsvc.api.storefront.views import (
    ad_path,
    first_picture,
    slug_of,
)
from adsvc.enums import AdStatus, PriceType
from adsvc.settings.money import Money

# How many characters of a description a search engine shows under a link.
EXCERPT = 160

LONGEST_TEXT = 5000

AVAILABILITY = {
    AdStatus.ACTIVE: "https://schema.org/InStock",
    AdStatus.RESERVED: "https://schema.org/Reserved",
}

# As the starter tree has them.
CONDITIONS = {
    "new": "New",
    **dict.fromkeys(("like-new", "used", "good", "worn"), "Used"),
    **dict.fromkeys(("damaged", "for-parts"), "Damaged"),
    "refurbished": "Refurbished",
}

# Slugs and names of a category and of those above it, from the root.
Crumbs = tuple[tuple[str, str], ...]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SiteIdentity:
    """`address` has no slash at its end, and is empty if it is not known."""

    name: str
    currency: Money
    address: str


def ad_address(site: SiteIdentity, ad: Record) -> str:
    return f"{site.address}{ad_path(ad['pk'], slug_of(ad['title']))}"


def category_address(site: SiteIdentity, slug: str) -> str:
    return f"{site.address}/c/{slug}"


def home_head(site: SiteIdentity, categories: Sequence[str] = ()) -> Head:
    url = f"{site.address}/"
    search = {
        "@type": "SearchAction",
        "target": f"{site.address}/search?q={{q}}",
        "query-input": "required name=q",
    }
    about = {"@type": "WebSite", "name": site.name, "url": url, "potentialAction": search}
    feed = f"{site.address}/ads.atom"
    description = excerpt(", ".join(categories), site.name)
    return Head(site.name, site.name, description, url=url, feed=feed, data=(about,))


def ad_head(site: SiteIdentity, ad: Record, crumbs: Crumbs) -> Head:
    """The head for an ad, from the record `schemas.ads.AdDetails`."""
    url = ad_address(site, ad)
    pictures = [f"{site.address}{picture['image']}" for picture in ad["images"]]
    product = {
        **_product(site, ad, pictures),
        "description": ad["description"][:LONGEST_TEXT],
        "sku": str(ad["pk"]),
    }
    if (condition := ad["attributes"].get("condition")) in CONDITIONS:
        product["itemCondition"] = f"https://schema.org/{CONDITIONS[condition]}Condition"
    if crumbs:
        product["category"] = " > ".join(name for _, name in crumbs)
    data = (product, *_breadcrumbs(site, crumbs))
    return Head(
        title=f"{ad['title']} · {site.name}",
        site=site.name,
        description=excerpt(ad["description"], summary(site, ad)),
        url=url,
        images=_shared(site, ad),
        kind="product",
        oembed=f"{site.address}/oembed?{urlencode({'url': url, 'format': 'json'})}",
        data=data,
        picture=first_picture(ad),
    )


def _shared(site: SiteIdentity, ad: Record) -> list[SharedImage]:
    """The first picture for the preview of a link.

    Of a picture that has no `share` yet, the card and then the picture itself: messengers load no
    previews of more than some hundred kilobytes. A card has at most 240 kB (`pictures.normalise`),
    but it is a WebP.
    """
    if not ad["images"]:
        return []
    image = ad["images"][0]
    variants = image["variants"]
    whole = {**image, "path": image["image"]}
    shared = [variants["share"]] if "share" in variants else [variants.get("card"), whole]
    return [
        SharedImage(f"{site.address}{one['path']}", one["width"], one["height"])
        for one in filter(None, shared)
    ]


def category_head(site: SiteIdentity, crumbs: Crumbs, ads: Sequence[Record]) -> Head:
    """`ads` are the newest ones, as the record `schemas.ads.Ad`."""
    slug, name = crumbs[-1]
    url = category_address(site, slug)
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "item": _product(site, ad, [f"{site.address}{ad['image']}"]),
        }
        for position, ad in enumerate(ads, start=1)
    ]
    page: dict[str, object] = {"@type": "CollectionPage", "name": name, "url": url}
    if items:
        page["mainEntity"] = {"@type": "ItemList", "itemListElement": items}
    return Head(
        title=f"{name} · {site.name}",
        site=site.name,
        description=excerpt(", ".join(ad["title"] for ad in ads), name),
        url=url,
        images=[SharedImage(f"{site.address}{ads[0]['image']}")] if ads else (),
        feed=f"{site.address}/ads.atom?category={slug}",
        data=(page, *_breadcrumbs(site, crumbs)),
    )


def summary(site: SiteIdentity, ad: Record) -> str:
    """Price and place in one line without words of a language."""
    price = [] if ad["priceType"] == PriceType.ON_REQUEST else [site.currency.line(ad["price"])]
    return " · ".join([*price, *filter(None, [ad["place"]])])


def excerpt(text: str, before: str = "") -> str:
    """The beginning of a text on one line, cut between words."""
    words = text[: 4 * EXCERPT].split()
    line = " · ".join(filter(None, [before, " ".join(words)]))
    if len(line) <= EXCERPT:
        return line
    return f"{line[:EXCERPT].rpartition(' ')[0] or line[:EXCERPT]}…"


def _product(site: SiteIdentity, ad: Record, pictures: Sequence[str]) -> dict[str, object]:
    url = ad_address(site, ad)
    offer: dict[str, object] = {
        "@type": "Offer",
        "url": url,
        "priceCurrency": site.currency.currency,
        "availability": AVAILABILITY[ad["status"]],
    }
    # What has no price of its own is no product for a price of zero either.
    if ad["priceType"] != PriceType.ON_REQUEST:
        amount = 0 if ad["priceType"] == PriceType.FREE else ad["price"]
        offer["price"] = site.currency.number(amount)
    if ad.get("expiresAt") is not None:
        until = datetime.fromtimestamp(ad["expiresAt"] / 1000, UTC)
        offer["priceValidUntil"] = until.date().isoformat()
    if ad["place"]:
        offer["availableAtOrFrom"] = {"@type": "Place", "name": ad["place"]}
    return {
        "@type": "Product",
        "name": ad["title"],
        "url": url,
        "image": list(pictures),
        "offers": offer,
    }


def _breadcrumbs(site: SiteIdentity, crumbs: Crumbs) -> tuple[dict[str, object], ...]:
    if not crumbs:
        return ()
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "name": name,
            "item": category_address(site, slug),
        }
        for position, (slug, name) in enumerate(crumbs, start=1)
    ]
    return ({"@type": "BreadcrumbList", "itemListElement": items},)
