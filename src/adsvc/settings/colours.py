"""The accent of the storefront: colours that texts can be read on (WCAG 2.2, 1.4.3)."""

import re
from dataclasses import dataclass

Colour = tuple[int, int, int]

COLOUR = re.compile(r"#[0-9a-f]{6}")
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)

# As in web/src/styles/tokens.css: what accents lie on.
PAPER = "#f6f5f2"
DARK_RAISED = "#1a2023"
DARK_FILL = "#283034"

# For texts of any size, at level AA.
LEAST_CONTRAST = 4.5

# How much of the accent its soft surface has.
SOFT = 0.12
DARK_SOFT = 0.2

# In so many steps a colour becomes black or white.
STEPS = 64


@dataclass(frozen=True, slots=True)
class Palette:
    """The accent of one scheme, what is written on it, and its soft surface."""

    accent: str
    ink: str
    soft: str


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


def least_contrast(accent: Colour) -> float:
    """With white, the ground and its own soft surface, in the light scheme."""
    surfaces = (WHITE, parsed(PAPER), mixed(WHITE, accent, SOFT))
    return min(contrast(accent, surface) for surface in surfaces)


def readable_accent(text: str) -> str:
    """A colour `#rrggbb` that can be read on light surfaces, and white texts on it."""
    colour = text.lower()
    if not COLOUR.fullmatch(colour):
        raise ValueError("must be a colour such as #0b5d57: # and six hexadecimal digits")
    accent = parsed(colour)
    found = least_contrast(accent)
    if found < LEAST_CONTRAST:
        darker = next(
            tried
            for tried in (mixed(accent, BLACK, step / STEPS) for step in range(STEPS + 1))
            if least_contrast(tried) >= LEAST_CONTRAST
        )
        raise ValueError(
            f"cannot be read: {colour} has a contrast of {found:.2f}:1 with the surfaces it stands "
            f"on, and texts need {LEAST_CONTRAST}:1 (WCAG AA); {written(darker)} has it"
        )
    return colour


def palettes(text: str) -> tuple[Palette, Palette]:
    """Of the light scheme and of the dark one, for which the accent is made lighter."""
    accent = parsed(text)
    light = Palette(text, written(WHITE), written(mixed(WHITE, accent, SOFT)))
    for step in range(STEPS + 1):
        lighter = mixed(accent, WHITE, step / STEPS)
        soft = mixed(parsed(DARK_RAISED), lighter, DARK_SOFT)
        grounds = (parsed(DARK_RAISED), parsed(DARK_FILL), soft)
        if min(contrast(lighter, ground) for ground in grounds) >= LEAST_CONTRAST:
            break
    ink = mixed(accent, BLACK, 0.8)
    if contrast(ink, lighter) < LEAST_CONTRAST:
        ink = BLACK
    return light, Palette(written(lighter), written(ink), written(soft))
