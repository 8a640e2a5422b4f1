"""The tree as this process knows it."""

from collections.abc import Callable

from adsvc.db.database import Database
from adsvc.invalidation import Kind
from adsvc.repositories import CategoryReadRepository
from adsvc.services.categories.tree import CategoryTree


class CategoryMemory:
    """Keeps the tree until it changes. If changes are not heard of, it is read each time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tree: CategoryTree | None = None
        self._generation = -1
        # What the tree was made of: one that is the same need not be compiled anew.
        self._rows: list[tuple[object, ...]] = []

    async def tree(
        self, *, knows: Callable[[CategoryTree], object] = lambda _: True
    ) -> CategoryTree:
        """It is read anew if it does not know what is asked for: another process may have added it.

        Then it is for the caller to find out whether it knows it now.
        """
        changes = self._database.changes
        generation = changes.generations[Kind.CATEGORY]
        kept = self._tree if self._generation == generation and changes.reliable else None
        if kept is not None and knows(kept):
            return kept
        # A replica may not know yet what is asked for.
        reader = self._database.list_reader if kept is None else self._database.reader
        found = await CategoryReadRepository(reader).tree()
        if generation != changes.generations[Kind.CATEGORY] and changes.reliable:
            # It has changed meanwhile: what is made of it would be kept as if it were new.
            return await self.tree(knows=knows)
        rows = sorted(tuple(row.values()) for row in found)
        if self._tree is None or rows != self._rows:
            self._tree, self._rows = CategoryTree.of_rows(found), rows
        self._generation = generation
        return self._tree
