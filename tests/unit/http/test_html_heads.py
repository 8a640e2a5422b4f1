"""Parts of HTML heads that few ads have."""

import re
from dataclasses import replace
from typing import Any

from adsvc.api.html import html
from adsvc.api.storefront.heads import EXCERPT, SiteIdentity, ad_head, excerpt
from adsvc.settings.money import Money

SITE = SiteIdentity("adsvc", Money("EUR"), "https://ads.example.com")
AD = {
    "pk": 1, "title": "Oak table", "price": 150, "priceType": "fixed", "place": None,
    "description": "Solid oak.", "images": [],
    "image": "/images/none.jpg", "attributes": {}, "status": "active",
    "expiresAt": 1_800_000_000_000,
}  # fmt: skip


def test_an_offer_says_until_when_it_stands() -> None:
    [product] = ad_head(SITE, AD, ()).data
    offer = product["offers"]
    assert isinstance(offer, dict)
    assert offer["priceValidUntil"] == "2027-01-15"
    head = ad_head(replace(SITE, currency=Money("CHF", 2)), {**AD, "price": 1250}, ())
    assert "12.50 CHF" in head.description
    dear = head.data[0]["offers"]
    assert isinstance(dear, dict)
    assert (dear["priceCurrency"], dear["price"]) == ("CHF", 12.5)


def test_an_excerpt_is_one_line_that_ends_with_a_word() -> None:
    assert excerpt("  two\n\n lines\t", "150 EUR") == "150 EUR · two lines"
    cut = excerpt("oaken " * 100)
    assert len(cut) <= EXCERPT + 1
    assert cut.endswith("oaken…")
    # Not every language has spaces.
    assert excerpt("木" * 1000) == "木" * EXCERPT + "…"
    assert excerpt("") == ""


def test_a_shared_ad_has_its_small_jpeg_or_else_a_small_picture_first() -> None:
    card = {"path": "/images/a-card.webp", "width": 800, "height": 600}
    share = {"path": "/images/a-share.jpg", "width": 1200, "height": 900}
    size = {"width": 2048, "height": 1536}
    picture = {"image": "/images/a.jpg", **size, "variants": {"card": card, "share": share}}
    older = {"image": "/images/a.jpg", **size, "variants": {"card": card}}
    old: dict[str, Any] = {"image": "/images/b.jpg", "width": None, "height": None, "variants": {}}
    for images, expected in (
        ([picture, old], [
            ("og:image", "https://ads.example.com/images/a-share.jpg"),
            ("og:image:width", "1200"), ("og:image:height", "900"),
            ("og:image:type", "image/jpeg"),
        ]),
        ([older, old], [
            ("og:image", "https://ads.example.com/images/a-card.webp"),
            ("og:image:width", "800"), ("og:image:height", "600"),
            ("og:image:type", "image/webp"),
            ("og:image", "https://ads.example.com/images/a.jpg"),
            ("og:image:width", "2048"), ("og:image:height", "1536"),
            ("og:image:type", "image/jpeg"),
        ]),
        ([old], [
            ("og:image", "https://ads.example.com/images/b.jpg"), ("og:image:type", "image/jpeg"),
        ]),
        ([], []),
    ):  # fmt: skip
        head = html("head", head=ad_head(SITE, {**AD, "images": images}, ()))
        assert re.findall(r'property="(og:image[^"]*)" content="([^"]*)"', head) == expected
