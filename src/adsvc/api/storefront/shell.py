"""The one HTML page of the app. Its head is made for each address, its body by scripts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from adsvc.api.caching.representation import CachedResponse, etag_of
from adsvc.errors import ConfigurationError
from adsvc.http.headers import PUBLIC, Caching
from adsvc.http.raw import Header

TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)

# Nothing but our own files, no inline script, no text that a script makes into markup. Pictures are
# previewed as blobs before they are sent.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src {pictures} data: blob:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)


def headers(pictures: str | None) -> tuple[Header, ...]:
    """Of every page. `pictures` is another origin from which pictures come, if there is one."""
    sources = " ".join(filter(None, ("'self'", pictures)))
    return (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", POLICY.format(pictures=sources).encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


# What would end the element, or the line in a parser that takes JSON for a script.
IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}

JSON_LD = '<script type="application/ld+json">{}</script>'


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of a page says. Texts are as people wrote them, and are escaped here.

    `url` and `image` are whole addresses; without `url` search engines leave the page out.
    """

    title: str
    site: str = ""
    description: str = ""
    url: str = ""
    image: str = ""
    kind: str = "website"
    # Where the Atom feed of what the page shows is.
    feed: str = ""
    data: Sequence[Mapping[str, object]] = ()

    def html(self) -> str:
        return "\n    ".join(self._elements())

    def _elements(self) -> Iterator[str]:
        yield f"<title>{escape(self.title)}</title>"
        if self.description:
            yield _meta("name", "description", self.description)
        if self.feed:
            yield _link("alternate", self.feed, ' type="application/atom+xml"')
        if not self.url:
            yield _meta("name", "robots", "noindex")
            return
        yield _link("canonical", self.url)
        yield from self._open_graph()
        if self.data:
            graph = {"@context": "https://schema.org", "@graph": list(self.data)}
            text = json.dumps(graph, ensure_ascii=False, separators=(",", ":"))
            yield JSON_LD.format(text.translate(IN_SCRIPT))

    def _open_graph(self) -> Iterator[str]:
        told = {
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "url": self.url,
            "image": self.image,
            "site_name": self.site,
        }
        for name, text in told.items():
            if text:
                yield _meta("property", f"og:{name}", text)
        yield _meta("name", "twitter:card", "summary_large_image" if self.image else "summary")


def _meta(attribute: str, name: str, text: str) -> str:
    return f'<meta {attribute}="{name}" content="{escape(text)}">'


def _link(relation: str, address: str, more: str = "") -> str:
    return f'<link rel="{relation}"{more} href="{escape(address)}">'


@dataclass(frozen=True, slots=True)
class Shell:
    """`index.html` around its title, in whose place the head of each page goes."""

    before: str
    after: str
    headers: tuple[Header, ...]

    @classmethod
    def of(cls, html: str, pictures: str | None = None) -> "Shell":
        """`pictures` is as of `headers`."""
        parts = TITLE.split(html)
        if len(parts) != 2:  # noqa: PLR2004 - before and after
            raise ConfigurationError("ADSVC_STOREFRONT_DIR: index.html must have one <title>")
        before, after = parts
        return cls(before, after, headers(pictures))

    def html(self, head: Head) -> bytes:
        return f"{self.before}{head.html()}{self.after}".encode()

    def page(self, head: Head, caching: Caching = PUBLIC) -> CachedResponse:
        body = self.html(head)
        return CachedResponse(body, etag_of(body), (*self.headers, *caching), compressible=True)
