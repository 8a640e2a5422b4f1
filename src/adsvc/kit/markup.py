"""Markup of administrators: snippets of HTML that load scripts of known origins and have no code of
their own; style sheets (CSS Syntax 3), which may change looks and load nothing.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from html.parser import HTMLParser
from typing import Any
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


def _read_scripts(snippet: str) -> _Reader:
    reader = _Reader()
    reader.feed(snippet)
    reader.close()
    return reader


def script_fault(snippet: str, origins: Collection[str]) -> str | None:
    """What is wrong, as a predicate."""
    reader = _read_scripts(snippet)
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


def written_scripts(snippet: str) -> str:
    """The same elements, as a parser has read them."""
    return "".join(
        f"<script{''.join(_attribute(*each) for each in tag)}></script>"
        for tag in _read_scripts(snippet).tags
    )


def _attribute(name: str, value: str | None) -> str:
    return f" {name}" if value is None else f' {name}="{escape(value)}"'


RULES = frozenset({"container", "keyframes", "layer", "media", "property", "supports"})

# They load something, or did so in a browser.
LOADING = frozenset({"cross-fade", "element", "expression", "image", "image-set", "paint", "src"})
RUNNING = frozenset({"behavior", "binding"})

ELSEWHERE = "must not load anything from elsewhere"
PREFIX = re.compile(r"^-(?:webkit|moz|ms|o)-")
# A path of the site, or a picture in the address itself. Browsers read `\` as `/`.
OWN_ADDRESS = re.compile(
    r"/(?:[\w.~%?=&+-][\w.~%?=&+/-]*)?|data:image/(?:gif|jpeg|png|webp);base64,[A-Za-z0-9+/=]*",
    re.ASCII,
)


def stylesheet_fault(css: str) -> str | None:
    """What is wrong, as a predicate."""
    # It would end a style element, or its comment, although it is in neither.
    if "</" in css or "<!" in css:
        return "must not have </ or <!"
    import tinycss2  # noqa: PLC0415 - few processes read a style sheet

    try:
        return _fault_among(tinycss2.parse_component_value_list(css, skip_comments=True))
    except RecursionError:
        return "is nested too deeply"


def _fault_among(nodes: Iterable[Any]) -> str | None:
    """Of nodes of tinycss2, at any depth."""
    return next(filter(None, map(_fault, nodes)), None)


def _fault(node: Any) -> str | None:  # noqa: ANN401 - tinycss2 has no types
    """Names are as the parser reads them, with their escapes resolved."""
    name = PREFIX.sub("", getattr(node, "lower_name", "") or getattr(node, "lower_value", ""))
    fault = None
    match node.type:
        case "error":
            fault = f"cannot be read in line {node.source_line}"
        case "at-keyword" if name not in RULES:
            fault = f"may only have the rules @{', @'.join(sorted(RULES))}"
        case "ident" if name in RUNNING:
            fault = "must not bind scripts"
        case "url":
            fault = None if OWN_ADDRESS.fullmatch(node.value) else ELSEWHERE
        case "function" if name == "url":
            texts = [str(each.value) for each in node.arguments if each.type != "whitespace"]
            fault = None if OWN_ADDRESS.fullmatch("".join(texts)) else ELSEWHERE
        case "function":
            fault = ELSEWHERE if name in LOADING else _fault_among(node.arguments)
        case "() block" | "[] block" | "{} block":
            fault = _fault_among(node.content)
    return fault
