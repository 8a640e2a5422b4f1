"""What a scene of a demonstration picture is painted on, with light, texture and depth, by Pillow.

A scene is painted from the back to the front, each thing with its shadow. Then light falls on all
of it from one side, and the grain of a camera comes last.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageOps

# Drawn larger than stored, so that edges are smooth.
WIDTH, HEIGHT = 960, 720
SIZE = (640, 480)

Colour = tuple[int, int, int]
Points = Sequence[tuple[float, float]]

ROUNDED = [max(0, min(255, (value - 112) * 8)) for value in range(256)]
SLOPE = Image.linear_gradient("L").crop((0, 0, 1, 256))

DARK: Colour = (28, 30, 34)
STEEL: Colour = (176, 182, 188)
GLASS: Colour = (74, 96, 112)
OAK: Colour = (186, 140, 92)
CARDBOARD: Colour = (190, 150, 104)
PAINTS: tuple[Colour, ...] = (
    (168, 38, 36), (32, 74, 128), (226, 226, 222), (52, 56, 62), (36, 96, 74), (196, 128, 40),
    (120, 132, 142), (88, 46, 84),
)  # fmt: skip
CLOTHS: tuple[Colour, ...] = (
    (94, 112, 98), (156, 92, 74), (66, 84, 116), (186, 168, 138), (122, 54, 66), (70, 70, 76),
)  # fmt: skip
WALLS: tuple[Colour, ...] = (
    (226, 220, 208), (204, 212, 212), (218, 206, 196), (196, 204, 190), (230, 228, 224),
)  # fmt: skip


def shade(colour: Colour, factor: float) -> Colour:
    red, green, blue = (max(0, min(255, round(part * factor))) for part in colour)
    return red, green, blue


@lru_cache(maxsize=8)
def _noise(width: int, height: int, sigma: int) -> Image.Image:
    """Grey, the same each time; narrow ones are stretched to fibres."""
    random = Random(width * height)  # noqa: S311 - a texture
    values = bytes(max(0, min(255, round(random.gauss(128, sigma)))) for _ in range(width * height))
    noise = Image.frombytes("L", (width, height), values)
    return noise.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)


class Scene:
    """A canvas in parts of its width and height, from 0 to 1."""

    def __init__(self, name: str, number: int) -> None:
        """The same each time. Things with the same name and other numbers have other colours."""
        self.random = Random(f"{name} {number}")  # noqa: S311 - a drawing
        self._colours = Random(name)  # noqa: S311 - a drawing
        self._number = number
        self.image = Image.new("RGB", (WIDTH, HEIGHT))

    def pick(self, colours: Sequence[Colour]) -> Colour:
        place = self._colours.randrange(len(colours)) + self._number
        return shade(colours[place % len(colours)], self.random.uniform(0.88, 1.1))

    def solid(
        self, colour: Colour, points: Points, *, round_by: float | None = None, curve: float = 0.3
    ) -> None:
        """A polygon; between two corners a rounded rectangle, or with `round_by` 1 an ellipse.

        `curve` is how much darker it is below than above.
        """
        scaled = [(x * WIDTH, y * HEIGHT) for x, y in points]
        left, top = (int(min(values)) for values in zip(*scaled, strict=True))
        right, bottom = (int(max(values)) + 1 for values in zip(*scaled, strict=True))
        width, height = max(2, right - left), max(2, bottom - top)
        mask = Image.new("L", (width, height))
        draw = ImageDraw.Draw(mask)
        if round_by == 1:
            draw.ellipse((0, 0, width - 1, height - 1), fill=255)
        elif round_by is not None:
            draw.rounded_rectangle((0, 0, width - 1, height - 1), round_by * WIDTH, fill=255)
        else:
            draw.polygon([(x - left, y - top) for x, y in scaled], fill=255)
            # Corners that a hand would feel are rounded.
            mask = mask.filter(ImageFilter.GaussianBlur(5)).point(ROUNDED)
        lit, dim = shade(colour, 1 + curve / 2), shade(colour, 1 - curve)
        column = ImageOps.colorize(SLOPE, lit, dim).resize((1, height), Image.Resampling.BILINEAR)
        filled = column.resize((width, height), Image.Resampling.NEAREST)
        self.image.paste(filled, (left, top), mask)

    def line(self, colour: Colour, points: Points, width: float) -> None:
        scaled = [(x * WIDTH, y * HEIGHT) for x, y in points]
        draw = ImageDraw.Draw(self.image)
        draw.line(scaled, colour, round(width * WIDTH), joint="curve")
        draw.line([(x - 1, y - 2) for x, y in scaled], shade(colour, 1.35), 2)

    def ring(self, colour: Colour, x: float, y: float, radius: float, width: float) -> None:
        box = (x * WIDTH - radius * WIDTH, y * HEIGHT - radius * WIDTH,
               x * WIDTH + radius * WIDTH, y * HEIGHT + radius * WIDTH)  # fmt: skip
        ImageDraw.Draw(self.image).ellipse(box, outline=colour, width=round(width * WIDTH))

    def disc(self, colour: Colour, x: float, y: float, radius: float, curve: float = 0.4) -> None:
        high = radius * WIDTH / HEIGHT
        self.solid(
            colour, ((x - radius, y - high), (x + radius, y + high)), round_by=1, curve=curve
        )

    def shadow(self, left: float, top: float, right: float, bottom: float, depth: float) -> None:
        small = (WIDTH // 4, HEIGHT // 4)
        mask = Image.new("L", small)
        box = (left * small[0], top * small[1], right * small[0], bottom * small[1])
        ImageDraw.Draw(mask).ellipse(box, fill=round(255 * depth))
        mask = mask.filter(ImageFilter.GaussianBlur(6))
        mask = mask.resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
        self.image.paste((12, 12, 18), (0, 0), mask)

    def texture(self, noise: Image.Image, top: float, strength: float) -> None:
        """Lays a texture over everything below `top`."""
        box = (0, round(top * HEIGHT), WIDTH, HEIGHT)
        part = self.image.crop(box)
        grain = noise.crop((0, 0, WIDTH, box[3] - box[1])).convert("RGB")
        self.image.paste(Image.blend(part, ImageChops.overlay(part, grain), strength), box[:2])

    def blur(self, radius: float) -> None:
        """What is painted so far lies behind what is in focus."""
        half = self.image.resize((WIDTH // 3, HEIGHT // 3), Image.Resampling.BOX)
        blurred = half.filter(ImageFilter.GaussianBlur(radius))
        self.image = blurred.resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)

    # What stands behind.

    def table_top(self, floor: float) -> None:
        self.solid(shade(self.pick(WALLS), 0.55), ((0, 0), (1, floor)), round_by=0, curve=-0.3)
        self.planks(floor)

    def indoors(self, floor: float = 0.7) -> None:
        self.solid(self.pick(WALLS), ((0, 0), (1, floor)), round_by=0, curve=0.15)
        x = self.random.choice((0.08, 0.72))
        self.solid(shade(OAK, 0.6), ((x, 0.08), (x + 0.2, 0.36)), round_by=0.004)
        self.solid(self.pick(CLOTHS), ((x + 0.02, 0.105), (x + 0.18, 0.335)), round_by=0)
        self.solid((236, 234, 228), ((0, floor - 0.03), (1, floor)), round_by=0)
        self.blur(2)
        self.planks(floor)

    def planks(self, floor: float) -> None:
        wood = self.pick((OAK, (148, 104, 66), (206, 174, 132)))
        self.solid(wood, ((0, floor), (1, 1)), round_by=0, curve=-0.25)
        for number in range(-8, 19):
            far, near = number / 10, 0.5 + (number / 10 - 0.5) * 2.4
            self.line(shade(wood, 0.72), ((far, floor), (near, 1)), 0.002)
        self.texture(_noise(240, 24, 40), floor, 0.5)

    def outdoors(self, ground: Colour, horizon: float = 0.56) -> None:
        sky = self.pick(((156, 190, 222), (196, 206, 216), (226, 200, 170)))
        self.solid(sky, ((0, 0), (1, horizon)), round_by=0, curve=-0.25)
        for _ in range(3):
            x, y = self.random.random(), self.random.uniform(0.04, 0.22)
            self.solid(
                (246, 247, 249), ((x - 0.16, y), (x + 0.16, y + 0.06)), round_by=1, curve=0.1
            )
        for number in range(16):
            x, high = number / 15 + self.random.uniform(-0.03, 0.03), self.random.uniform(0.1, 0.26)
            green = shade((66, 98, 58), self.random.uniform(0.7, 1.2))
            self.solid(
                green,
                ((x - 0.08, horizon - high), (x + 0.08, horizon + 0.1)),
                round_by=1,
                curve=0.6,
            )
        self.blur(3)
        self.solid(ground, ((0, horizon), (1, 1)), round_by=0, curve=-0.2)
        self.texture(_noise(480, 360, 50), horizon, 0.45)

    def finished(self) -> Image.Image:
        """With the light of one side, darker corners, and grain."""
        x = self.random.choice((16, 112))
        light = ImageOps.invert(Image.radial_gradient("L").crop((x, 40, x + 128, 168)))
        light = light.resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
        warm = ImageOps.colorize(light, (116, 116, 134), (255, 252, 242))
        image = ImageChops.multiply(self.image, warm)
        image = ImageEnhance.Brightness(image).enhance(1.22).resize(SIZE, Image.Resampling.BOX)
        grain = _noise(480, 360, 50).crop((0, 0, *SIZE)).convert("RGB")
        return Image.blend(image, ImageChops.overlay(image, grain), 0.07)
