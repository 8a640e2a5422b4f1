"""The tree of categories, and how many ads each has."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.engine import Statements
from adsvc.db.faults import violated_constraint
from adsvc.db.pools import Reader, Row
from adsvc.models import Category

# Names and attributes of categories are short, so the whole tree is a small result.
TREE = """
    SELECT categories.id, categories.slug, parents.slug AS parent, categories.name,
        categories.names::text, categories.position, categories.attributes::text
    FROM categories LEFT JOIN categories AS parents ON parents.id = categories.parent_id
"""
COUNTS = "SELECT category_id, sum(ads)::bigint AS ads FROM category_ad_totals GROUP BY category_id"
# Writers wait for each other. Readers, and requests that post ads, do not wait.
LOCK = "LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE"
# The foreign keys of ads and of children.
IN_USE = frozenset({"fk_ads_category_id_categories", "fk_categories_parent_id_categories"})


class CategoryReadRepository:
    def __init__(self, reader: Reader | Statements) -> None:
        self._reader = reader

    async def tree(self) -> Sequence[Row]:
        """All categories, in no particular order; `names` and `attributes` as JSON."""
        return await self._reader.fetch(TREE, keep_plan=True)

    async def counts(self) -> Mapping[int, int]:
        """Numbers of shown ads by the category's id, without the categories below it."""
        rows = await self._reader.fetch(COUNTS, keep_plan=True)
        return {row["category_id"]: row["ads"] for row in rows}


class CategoryRepository(CategoryReadRepository):
    """Changes the tree. Its reads are in the same transaction."""

    def __init__(self, session: AsyncSession) -> None:
        super().__init__(statements := Statements(session))
        self._session = session
        self._statements = statements

    async def lock(self) -> None:
        """Until the transaction ends, no other one changes the tree."""
        await self._statements.fetch(LOCK)

    async def add(self, slug: str, parent_id: int | None, values: Mapping[str, Any]) -> int:
        category = Category(slug=slug, parent_id=parent_id, **values)
        self._session.add(category)
        await self._session.flush()
        return category.id

    async def update(self, id: int, parent_id: int | None, values: Mapping[str, Any]) -> None:
        statement = update(Category).where(Category.id == id)
        await self._session.execute(statement.values(parent_id=parent_id, **values))

    async def delete(self, slug: str) -> bool | None:
        """Whether it was deleted: False while it has ads or children, None if there was none."""
        try:
            found = await self._session.scalar(
                delete(Category).where(Category.slug == slug).returning(Category.id)
            )
        except IntegrityError as error:
            if violated_constraint(error) not in IN_USE:
                raise
            return False
        return True if found is not None else None
