"""Snippets of HTML that load scripts of known origins, and have no code themselves."""

import re
from collections.abc import Collection, Sequence
from html import escape
from html.parser import HTMLParser
from urllib.parse import urlsplit

Attributes = Sequence[tuple[str, str | None]]

FLAGS = frozenset({"async", "defer"})
DATA = re.compile(r"data-[a-z0-9-]+")
ADDRESS = re.compile(r"[!-~]+")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[Attributes] = []
        self.has_other = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.has_other |= tag != "script"
        self.tags.append(attrs)

    def handle_data(self, data: str) -> None:
        self.has_other |= bool(data.strip())

    def handle_comment(self, data: str) -> None:
        del data
        self.has_other = True

    def handle_decl(self, decl: str) -> None:
        self.handle_comment(decl)

    handle_pi = unknown_decl = handle_comment


def _read(snippet: str) -> _Reader:
    reader = _Reader()
    reader.feed(snippet)
    reader.close()
    return reader


def fault_of(snippet: str, origins: Collection[str]) -> str | None:
    """What is wrong, as a predicate."""
    reader = _read(snippet)
    if reader.has_other or not reader.tags:
        return "must have script elements without content, and nothing else"
    for attributes in reader.tags:
        given = dict(attributes)
        source = given.pop("src", None) or ""
        if len(attributes) != len(given) + 1 or not ADDRESS.fullmatch(source):
            return "must have an address in src of each script"
        parts = urlsplit(source)
        if f"{parts.scheme}://{parts.netloc}" not in origins:
            return "must load scripts of its origins alone"
        if not all(name in FLAGS or DATA.fullmatch(name) for name in given):
            return "may have the attributes src, async, defer and data-* alone"
    return None


def written(snippet: str) -> str:
    """The same elements, as a parser has read them."""
    return "".join(
        f"<script{''.join(_attribute(*each) for each in tag)}></script>"
        for tag in _read(snippet).tags
    )


def _attribute(name: str, value: str | None) -> str:
    return f" {name}" if value is None else f' {name}="{escape(value)}"'
