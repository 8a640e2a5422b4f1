"""Pictures of demonstration ads: illustrations of the package, and copies of them for each ad."""

import asyncio
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import ceil
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageOps

from adsvc.kit.pictures.containers import SHARE, VARIANTS, variant_name
from adsvc.kit.storage import ImageStore, new_image_name
from adsvc_ops.seeding.catalogue import goods_of, scene_of
from adsvc_ops.seeding.rows import LeafCategory, Row

# `<scene>-<number>.webp`, made by tools/illustrations.py.
ILLUSTRATIONS = Path(__file__).with_name("illustrations")
SIZE = (640, 480)
# The parts that are shown by an ad's further pictures: left, top, right, bottom.
DETAILS = ((0.0, 0.16, 0.66, 0.82), (0.3, 0.3, 0.95, 0.95))


class Drawing(NamedTuple):
    """One picture, in the forms in which it is stored."""

    jpeg: bytes
    size: tuple[int, int]
    # By the names of `pictures.picture`.
    variants: dict[str, bytes]
    placeholder: str


@cache
def scenes() -> dict[str, list[Path]]:
    """The illustrations of each scene."""
    found: dict[str, list[Path]] = {}
    for path in sorted(ILLUSTRATIONS.glob("*.webp")):
        found.setdefault(path.stem.rpartition("-")[0], []).append(path)
    return found


def drawn(scene: str, number: int) -> list[Drawing]:
    """Pictures of the thing with that number: the whole, then its details.

    After the last illustration of the scene they begin again, as in a mirror.
    """
    paths = scenes()[scene]
    turn, place = divmod(number, len(paths))
    with Image.open(paths[place]) as image:
        whole = ImageOps.mirror(image) if turn % 2 else image.copy()
    parts = [_part(whole, *edges) for edges in DETAILS]
    return [_stored(image) for image in (whole, *parts)]


def _part(whole: Image.Image, left: float, top: float, right: float, bottom: float) -> Image.Image:
    """Enlarged to the size of the whole. The edges are shares of its width and height."""
    width, height = SIZE
    first = round(left * width), round(top * height)
    last = round(right * width), round(bottom * height)
    return whole.crop((*first, *last)).resize(SIZE, Image.Resampling.BILINEAR)


def _stored(image: Image.Image) -> Drawing:
    variants = {}
    for variant, side in VARIANTS.items():
        small = image.copy()
        small.thumbnail((side, side))
        variants[variant] = (
            _encoded(small, "JPEG") if variant == SHARE else _encoded(small, "WEBP", method=0)
        )
    average = image.resize((1, 1), Image.Resampling.BOX).tobytes()
    return Drawing(_encoded(image, "JPEG"), SIZE, variants, f"#{average.hex()}")


def _encoded(image: Image.Image, form: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, quality=75, **options)
    return buffer.getvalue()


# A file system allows some 65,000 names for one file; this stays well below.
ADS_PER_THING = 20_000

# Of each scene, so that neighbours in a list differ. Where there are many ads, making so many
# takes longer than it is worth.
FEWEST_THINGS = 6
MANY_ADS = 10_000
FEWEST_OF_MANY = 2


def most_things(leaves: Sequence[LeafCategory], ads: int) -> dict[str, int]:
    """How many things of each scene suffice for so many ads."""
    expected: defaultdict[str, float] = defaultdict(float)
    for leaf in leaves:
        things = goods_of(leaf.slug).things or [leaf.name]
        for thing in things:
            scene = scene_of(leaf.slug, leaf.root, thing)
            expected[scene] += ads / len(leaves) / len(things)
    fewest = FEWEST_OF_MANY if ads >= MANY_ADS else FEWEST_THINGS
    return {
        scene: max(fewest, ceil(of_scene / ADS_PER_THING)) for scene, of_scene in expected.items()
    }


@dataclass(frozen=True, slots=True)
class PooledPicture:
    name: str
    size: tuple[int, int]
    placeholder: str
    source: "PooledPicture | None" = None

    @property
    def thumbnail(self) -> str:
        return variant_name(self.name, "thumb")

    def files(self) -> list[str]:
        return [self.name, *(variant_name(self.name, variant) for variant in VARIANTS)]

    def copies(self) -> Iterator[tuple[str, str]]:
        """The files of its source, and its own."""
        return zip(self.source.files() if self.source else (), self.files(), strict=True)


class PicturePool:
    """Some things of each scene, each with several pictures. All ads share their contents."""

    def __init__(self, store: ImageStore, leaves: Sequence[LeafCategory], ads: int) -> None:
        """For at most so many ads of the categories."""
        self._store = store
        self._most = most_things(leaves, ads)
        self._drawn: defaultdict[str, list[list[PooledPicture]]] = defaultdict(list)
        self._taken: Counter[str] = Counter()

    async def draw(self, scenes: Iterable[str]) -> None:
        """Stores what the next ads need: `scenes` has the scene of each."""
        for scene, ads in Counter(scenes).items():
            things = self._drawn[scene]
            wanted = min(self._most[scene], len(things) + ads)
            things += await asyncio.gather(
                *(self._draw(scene, number) for number in range(len(things), wanted))
            )

    async def _draw(self, scene: str, number: int) -> list[PooledPicture]:
        # Pillow leaves the other threads the interpreter meanwhile.
        return [await self._put(one) for one in await asyncio.to_thread(drawn, scene, number)]

    async def _put(self, drawing: Drawing) -> PooledPicture:
        image = PooledPicture(new_image_name("jpg"), drawing.size, drawing.placeholder)
        await self._store.put(image.name, drawing.jpeg)
        for variant, content in drawing.variants.items():
            await self._store.put(variant_name(image.name, variant), content)
        return image

    def take(self, row: Row) -> list[PooledPicture]:
        """As many pictures as the ad has; their files are there after `deliver`."""
        things = self._drawn[row.scene]
        thing = things[self._taken[row.scene] % len(things)]
        self._taken[row.scene] += 1
        return [
            PooledPicture(new_image_name("jpg"), source.size, source.placeholder, source)
            for source in thing[: row.pictures]
        ]

    async def deliver(self, images: Sequence[PooledPicture]) -> None:
        await self._store.duplicate([pair for image in images for pair in image.copies()])

    async def clear(self) -> None:
        """The drawings themselves belong to no ad."""
        for image in chain.from_iterable(chain.from_iterable(self._drawn.values())):
            for file in image.files():
                await self._store.delete(file)
