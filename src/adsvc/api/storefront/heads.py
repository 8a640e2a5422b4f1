"""What search engines and people who pass links on are told of a page (schema.org, Open Graph)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from adsvc.api.storefront.shell import Head
from adsvc.models import AdStatus, PriceType

# So much of a description is shown under a link, and so much is told to machines.
EXCERPT = 160

LONGEST_TEXT = 5000

AVAILABILITY = {
    AdStatus.ACTIVE: "https://schema.org/InStock",
    AdStatus.RESERVED: "https://schema.org/Reserved",
}

# Slug and name of a category and of those above it, from the root on.
Crumbs = tuple[tuple[str, str], ...]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Site:
    """`address` is without a slash at its end; it is empty where nobody knows it."""

    name: str
    currency: str
    address: str


def ad_address(site: Site, ad_id: int) -> str:
    return f"{site.address}/a/{ad_id}"


def category_address(site: Site, slug: str) -> str:
    return f"{site.address}/c/{slug}"


def home_head(site: Site) -> Head:
    url = f"{site.address}/"
    search = {
        "@type": "SearchAction",
        "target": f"{site.address}/search?q={{q}}",
        "query-input": "required name=q",
    }
    about = {"@type": "WebSite", "name": site.name, "url": url, "potentialAction": search}
    feed = f"{site.address}/ads.atom"
    return Head(title=site.name, site=site.name, url=url, feed=feed, data=(about,))


def ad_head(site: Site, ad: Record, crumbs: Crumbs) -> Head:
    """Of the record `schemas.ads.ad.AdDetails`."""
    url = ad_address(site, ad["pk"])
    pictures = [f"{site.address}{picture['image']}" for picture in ad["images"]]
    product = {
        **_product(site, ad, pictures),
        "description": ad["description"][:LONGEST_TEXT],
        "sku": str(ad["pk"]),
    }
    if crumbs:
        product["category"] = " > ".join(name for _, name in crumbs)
    data = (product, *_breadcrumbs(site, crumbs))
    return Head(
        title=f"{ad['title']} · {site.name}",
        site=site.name,
        description=excerpt(ad["description"], summary(site, ad)),
        url=url,
        image=pictures[0] if pictures else "",
        kind="product",
        data=data,
    )


def category_head(site: Site, crumbs: Crumbs, ads: Sequence[Record]) -> Head:
    """`ads` are the newest ones, of the record `schemas.ads.ad.Ad`."""
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
        image=f"{site.address}{ads[0]['image']}" if ads else "",
        feed=f"{site.address}/ads.atom?category={slug}",
        data=(page, *_breadcrumbs(site, crumbs)),
    )


def summary(site: Site, ad: Record) -> str:
    """Price and place in one line that needs no language."""
    told = [] if ad["priceType"] == PriceType.ON_REQUEST else [f"{ad['price']} {site.currency}"]
    return " · ".join([*told, *filter(None, [ad["place"]])])


def excerpt(text: str, before: str = "") -> str:
    """The beginning of a text on one line, not in the middle of a word."""
    words = text[: 4 * EXCERPT].split()
    line = " · ".join(filter(None, [before, " ".join(words)]))
    if len(line) <= EXCERPT:
        return line
    return f"{line[:EXCERPT].rpartition(' ')[0] or line[:EXCERPT]}…"


def _product(site: Site, ad: Record, pictures: Sequence[str]) -> dict[str, object]:
    url = ad_address(site, ad["pk"])
    offer: dict[str, object] = {
        "@type": "Offer",
        "url": url,
        "priceCurrency": site.currency,
        "availability": AVAILABILITY[ad["status"]],
    }
    # What has no price of its own is no product for a price of zero either.
    if ad["priceType"] != PriceType.ON_REQUEST:
        offer["price"] = 0 if ad["priceType"] == PriceType.FREE else ad["price"]
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


def _breadcrumbs(site: Site, crumbs: Crumbs) -> tuple[dict[str, object], ...]:
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
