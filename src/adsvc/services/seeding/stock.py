"""The files of generated pictures: a few are drawn, and get a further name for each ad."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from adsvc.pictures.variants import VARIANTS, variant_name
from adsvc.services.seeding.rows import PICTURES, Leaf, Row
from adsvc.storage import ImageStore, new_image_name

# A file system allows some 65,000 names for one file; this stays well below.
ADS_PER_PICTURE = 20_000

FEWEST_PICTURES = 12


@dataclass(frozen=True, slots=True)
class StockedImage:
    name: str
    size: tuple[int, int]
    placeholder: str

    @property
    def thumbnail(self) -> str:
        return variant_name(self.name, "thumb")

    def files(self) -> list[str]:
        return [self.name, *(variant_name(self.name, variant) for variant in VARIANTS)]


class Stock:
    def __init__(self, store: ImageStore) -> None:
        self._store = store
        self._drawn: dict[str, list[StockedImage]] = {}
        self._further: list[tuple[str, str]] = []
        self._taken = 0

    @classmethod
    async def made(cls, store: ImageStore, leaves: Sequence[Leaf], ads: int) -> Self:
        """Enough for so many ads, in the categories of that root each."""
        stock = cls(store)
        roots = sorted({leaf.root for leaf in leaves})
        each = max(FEWEST_PICTURES, ads * len(PICTURES) // ADS_PER_PICTURE + 1)
        random = Random(each)  # noqa: S311 - demonstration data
        for root in roots:
            stock._drawn[root] = [await stock._put(root, random) for _ in range(each)]
        return stock

    async def _put(self, root: str, random: Random) -> StockedImage:
        # Pillow takes memory, and all commands know of this module.
        from adsvc.services.seeding.pictures import drawn  # noqa: PLC0415

        drawing = drawn(root, random)
        image = StockedImage(new_image_name("jpg"), drawing.size, drawing.placeholder)
        await self._store.put(image.name, drawing.jpeg)
        for variant, content in drawing.variants.items():
            await self._store.put(variant_name(image.name, variant), content)
        return image

    def take(self, row: Row) -> list[StockedImage]:
        """As many pictures as the ad has; their files are there after `deliver`."""
        return [self._copy(row.leaf.root) for _ in range(row.pictures)]

    def _copy(self, root: str) -> StockedImage:
        images = self._drawn[root]
        self._taken += 1
        source = images[self._taken % len(images)]
        copy = StockedImage(new_image_name("jpg"), source.size, source.placeholder)
        self._further += zip(source.files(), copy.files(), strict=True)
        return copy

    async def deliver(self) -> None:
        further, self._further = self._further, []
        await self._store.duplicate(further)

    async def clear(self) -> None:
        """The drawings themselves belong to no ad."""
        for images in self._drawn.values():
            for image in images:
                for file in image.files():
                    await self._store.delete(file)
