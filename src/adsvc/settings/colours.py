"""The accent of the storefront: colours that texts can be read on (WCAG 2.2, 1.4.3)."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Colour = tuple[int, int, int]

COLOUR = re.compile(r"#[0-9a-f]{6}")
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)

# As in web/src/styles/tokens.css: what accents lie on.
PAPER = "#f6f5f2"
DARK_RAISED = "#1a2023"
DARK_FILL = "#283034"

# The accent of a site that has chosen none.
OWN_ACCENT = "#0b5d57"

# For texts of any size, at level AA.
LEAST_CONTRAST = 4.5

# How much of the accent its soft surface has.
SOFT = 0.12
DARK_SOFT = 0.2

# In so many steps a colour becomes black or white.
STEPS = 64


@dataclass(frozen=True, slots=True)
class Palette:
    """The accent of one scheme, what is written on it, its soft surface, and the shade of links."""

    accent: str
    ink: str
    soft: str
    text: str


def parsed(text: str) -> Colour:
    """From `#rrggbb`."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def written(colour: Colour) -> str:
    return f"#{bytes(colour).hex()}"


def mixed(colour: Colour, other: Colour, part: float) -> Colour:
    """`part` of the other one."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """From 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - sRGB
        for part in (value / 255 for value in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def colour(text: str) -> str:
    """As `#rrggbb` in small letters."""
    normal = text.lower()
    if not COLOUR.fullmatch(normal):
        raise ValueError("must be a colour such as #0b5d57: # and six hexadecimal digits")
    return normal


def _shade(
    accent: Colour, towards: Colour, grounds: Callable[[Colour], Iterable[Colour]]
) -> Colour:
    """The first shade on the way to black or white that can be read on its grounds."""
    shades = (mixed(accent, towards, step / STEPS) for step in range(STEPS + 1))
    return next(
        shade
        for shade in shades
        if min(contrast(shade, ground) for ground in grounds(shade)) >= LEAST_CONTRAST
    )


def _ink(fill: Colour, accent: Colour) -> str:
    """White, or else a very dark shade of the accent, or else black."""
    inks = (WHITE, mixed(accent, BLACK, 0.8), BLACK)
    return written(next(ink for ink in inks if contrast(ink, fill) >= LEAST_CONTRAST))


def palettes(text: str) -> tuple[Palette, Palette]:
    """Of the light scheme and of the dark one, for which the accent is made lighter."""
    accent, raised = parsed(text), parsed(DARK_RAISED)
    soft = mixed(WHITE, accent, SOFT)
    link = _shade(accent, BLACK, lambda _: (WHITE, parsed(PAPER), soft))
    light = Palette(text, _ink(accent, accent), written(soft), written(link))
    lighter = _shade(
        accent, WHITE, lambda shade: (raised, parsed(DARK_FILL), mixed(raised, shade, DARK_SOFT))
    )
    dark_soft = written(mixed(raised, lighter, DARK_SOFT))
    return light, Palette(written(lighter), _ink(lighter, accent), dark_soft, written(lighter))
