"""Style sheets of administrators (CSS Syntax 3), which may change looks, and load nothing."""

import re
from collections.abc import Iterable
from typing import Any

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


def fault_of(css: str) -> str | None:
    """What is wrong, as a predicate."""
    # It would end a style element, or its comment, although it is in neither.
    if "</" in css or "<!" in css:
        return "must not have </ or <!"
    import tinycss2  # noqa: PLC0415 - few processes read a style sheet

    return _fault_among(tinycss2.parse_component_value_list(css, skip_comments=True))


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
