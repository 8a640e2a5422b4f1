"""The smallest possible storefront, as a build leaves it, and how its pages are read."""

import gzip
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from adsvc.api.storefront.views import Record, ad_path, slug_of

INDEX = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Built</title>
    <script type="module" src="/assets/app-1a2b3c4d.js"></script>
  </head>
  <body><div id="app"></div></body>
</html>
"""
SCRIPT = b"document.title = 'a storefront';\n" * 50
WORDS = {
    "en": {
        "texts": {
            "home.newest": "New ads", "results.title": "All ads", "price.free": "Free",
            "results.titleWords": "“{words}”", "price.quiet": "negotiable",
            "ad.priceBefore": "was {price}", "value.yes": "Yes", "status.reserved": "Reserved",
            "results.count.one": "{count} ad", "results.count.other": "{count} ads",
            "results.none": "No ads found.", "results.didYouMean": "Did you mean",
        "results.relaxedSpelling": "“{to}” instead of “{from}”",
        "results.relaxedDropped": "without “{from}”",
            "results.more": "Show more", "seller.title": "Seller", "ad.posted": "Posted {date}",
            "seller.page": "Ads of {name}", "seller.since": "Member since {date}",
        },
    },
    "de": {
        "texts": {
            "home.newest": "Neue Anzeigen", "results.title": "Alle Anzeigen",
            "price.free": "Zu verschenken", "price.quiet": "VB",
        },
    },
}  # fmt: skip
FILES = {
    "index.html": INDEX.encode(),
    "words.json": json.dumps(WORDS).encode(),
    "index.html.br": b"not used",
    "assets/app-1a2b3c4d.js": SCRIPT,
    # No test unpacks it.
    "assets/app-1a2b3c4d.js.br": b"as Brotli",
    "assets/app-1a2b3c4d.js.gz": gzip.compress(SCRIPT, mtime=0),
    "assets/icon-5e6f7a8b.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "favicon.ico": b"icon",
    ".vite/manifest.json": b"{}",
}


def build(directory: Path) -> Path:
    for name, content in FILES.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory


HOSTILE = (
    "</title><script>alert(1)</script>", "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>', "' autofocus onfocus='alert(1)", "<!-- <script> -->",
    "x\u2028alert(1)\u2029//", "${alert(1)} {{7*7}} %s {}", "javascript:alert(1)",
    "&lt;script&gt;&amp;", "\\u003cscript\\u003e \\", "]]><x/>", "\u202egnp.exe",
)  # fmt: skip


def path_of(ad: Record) -> str:
    return ad_path(ad["pk"], slug_of(ad["title"]))


class Elements(HTMLParser):
    """What a browser makes of a page: its elements, and the text of scripts and titles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}
        self.following: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def of(self, tag: str, attribute: str) -> list[str]:
        """The values that elements of that name have."""
        return [
            str(attributes[attribute])
            for name, attributes in self.tags
            if name == tag and attribute in attributes
        ]

    def text_of(self, tag: str) -> str:
        """The text of the page from the first element of that name on."""
        return self.following.get(tag, "")

    def handle_data(self, data: str) -> None:
        for tag in dict.fromkeys(name for name, _ in self.tags):
            self.following[tag] = self.following.get(tag, "") + data
        if self.tags:
            name = self.tags[-1][1].get("type") or self.tags[-1][0]
            self.text[name] = self.text.get(name, "") + data

    @property
    def meta(self) -> dict[str, str | None]:
        return {
            str(attributes.get("name") or attributes.get("property")): attributes["content"]
            for tag, attributes in self.tags
            if tag == "meta" and "content" in attributes
        }

    @property
    def links(self) -> dict[str, str | None]:
        return {
            str(attributes["rel"]): attributes["href"]
            for tag, attributes in self.tags
            if tag == "link" and "hreflang" not in attributes
        }

    @property
    def graph(self) -> list[dict[str, Any]]:
        graph: list[dict[str, Any]] = json.loads(self.text["application/ld+json"])["@graph"]
        return graph
