"""The tree of categories, and how many ads each has."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.faults import violated_constraint
from adsvc.kit.db.statements import Row, Statements
from adsvc.models.ads import SHOWN_SQL, Category
from adsvc.repositories.ads.projection import BUMP_UPDATED_AT

# Names and attributes of categories are short, so the whole tree is a small result.
SELECT_TREE = """
    SELECT categories.id, categories.slug, parents.slug AS parent, categories.name,
        categories.names::text, categories.synonyms::text, categories.position,
        categories.icon, categories.color, categories.attributes::text
    FROM categories LEFT JOIN categories AS parents ON parents.id = categories.parent_id
"""
COUNT_ADS = (
    "SELECT category_id, sum(ads)::bigint AS ads FROM category_ad_totals GROUP BY category_id"
)
# Writers wait for each other. Readers, and requests that post ads, do not wait.
LOCK = "LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE"
_WORDS = """
    title_search = ad_words(title) || coalesce(names_search, ''),
    search = ad_words(title || ' ' || description || ' ' || attribute_words)
        || coalesce(words_search, '') || array_to_tsvector(ad_index_terms(ads))
"""
# Adds the words of a category to some of its ads, and returns how many it has looked at. New ads
# have them, but for those of transactions that are older than the words. (A number that is still to
# come is of another server: the database was restored.) Parameter: how many ads.
REWORD_ADS = f"""
    WITH pending AS MATERIALIZED (
        SELECT category_id, changed_by, reworded, names_search, words_search FROM category_words
        WHERE reworded IS NOT NULL AND changed_by NOT BETWEEN
            pg_snapshot_xmin(pg_current_snapshot())::text::bigint
            AND pg_snapshot_xmax(pg_current_snapshot())::text::bigint
        ORDER BY category_id LIMIT 1
    ), next AS MATERIALIZED (
        SELECT id FROM ads
        WHERE category_id = (SELECT category_id FROM pending)
            AND id > (SELECT reworded FROM pending)
        ORDER BY id LIMIT $1 FOR NO KEY UPDATE
    ), changed AS (
        UPDATE ads SET {_WORDS}
        FROM next, pending WHERE ads.id = next.id AND status IN ({SHOWN_SQL})
    ), noted AS (
        -- Cached searches are out of date.
        SELECT note_changes('ad', ARRAY['']) FROM pending
        WHERE reworded > 0 AND NOT EXISTS (SELECT FROM next)
    )
    UPDATE category_words AS words SET reworded = (SELECT max(id) FROM next)
    FROM pending LEFT JOIN noted ON true
    WHERE words.category_id = pending.category_id AND words.changed_by = pending.changed_by
    RETURNING (SELECT count(*) FROM next) AS ads
"""
# Writes the words of some ads anew, when their rules have changed. Parameter: how many.
REWORD_ALL = f"""
    WITH pending AS MATERIALIZED (
        SELECT reworded FROM installation WHERE reworded IS NOT NULL FOR UPDATE
    ), next AS MATERIALIZED (
        SELECT id, names_search, words_search
        FROM ads LEFT JOIN category_words USING (category_id)
        WHERE id > (SELECT reworded FROM pending)
        ORDER BY id LIMIT $1 FOR NO KEY UPDATE OF ads
    ), changed AS (
        UPDATE ads SET {_WORDS} FROM next WHERE ads.id = next.id AND status IN ({SHOWN_SQL})
    ), noted AS (
        -- Cached searches are out of date.
        SELECT note_changes('ad', ARRAY['']) FROM pending WHERE NOT EXISTS (SELECT FROM next)
    )
    UPDATE installation SET reworded = (SELECT max(id) FROM next)
    FROM pending LEFT JOIN noted ON true
    RETURNING (SELECT count(*) FROM next) AS ads
"""
# Some ads of a category, locked. Parameters: the category's id, and how many.
SELECT_ADS = """
    SELECT id, attributes::text FROM ads WHERE category_id = $1 ORDER BY id LIMIT $2
    FOR NO KEY UPDATE
"""
# Parameters: the category's id, and in arrays the ads, their attributes and the words of these.
MOVE_ADS = f"""
    UPDATE ads SET category_id = $1, attributes = moved.attributes,
        attribute_words = moved.words, {BUMP_UPDATED_AT.format(row="ads")}
    FROM unnest($2::bigint[], $3::jsonb[], $4::text[]) AS moved (id, attributes, words)
    WHERE ads.id = moved.id
"""
# The foreign keys of ads and of children.
IN_USE = frozenset({"fk_ads_category_id_categories", "fk_categories_parent_id_categories"})


async def tree(db: Statements) -> Sequence[Row]:
    """All categories, in no order; `names`, `synonyms` and `attributes` as JSON."""
    return await db.fetch(SELECT_TREE, keep_plan=True)


async def counts(db: Statements) -> Mapping[int, int]:
    """Numbers of shown ads by the category's id, without the categories below it."""
    rows = await db.fetch(COUNT_ADS, keep_plan=True)
    return {row["category_id"]: row["ads"] for row in rows}


async def lock(db: Statements) -> None:
    """Until the transaction ends, no other one changes the tree."""
    await db.fetch(LOCK)


async def add(
    db: DatabaseSession, slug: str, parent_id: int | None, values: Mapping[str, Any]
) -> int:
    category = Category(slug=slug, parent_id=parent_id, **values)
    db.add(category)
    await db.flush()
    return category.id


async def update_category(
    db: DatabaseSession, id: int, parent_id: int | None, values: Mapping[str, Any]
) -> None:
    statement = update(Category).where(Category.id == id)
    await db.execute(statement.values(parent_id=parent_id, **values))


async def delete_category(db: DatabaseSession, slug: str) -> bool | None:
    """Whether it was deleted: False while it has ads or children, None if there was none."""
    try:
        found = await db.scalar(
            delete(Category).where(Category.slug == slug).returning(Category.id)
        )
    except IntegrityError as error:
        if violated_constraint(error) not in IN_USE:
            raise
        return False
    return True if found is not None else None


async def reword_ads(db: Statements, limit: int) -> int | None:
    """Writes the words of the next ads of a changed category, or of all when their rules changed.

    Returns how many ads it has looked at; None if nothing has changed.
    """
    for statement in (REWORD_ADS, REWORD_ALL):
        ads: int | None = await db.fetchval(statement, limit)
        if ads is not None:
            return ads
    return None


async def ads_of(db: Statements, category_id: int, limit: int) -> Mapping[int, dict[str, Any]]:
    """The attributes of the category's next ads by their ids, whatever their status."""
    rows = await db.fetch(SELECT_ADS, category_id, limit)
    return {row["id"]: json.loads(row["attributes"]) for row in rows}


async def count_ads(db: Statements, category_id: int) -> int:
    """Whatever their status."""
    sql = "SELECT count(*) FROM ads WHERE category_id = $1"
    return int(await db.fetchval(sql, category_id))


async def move_ads(
    db: Statements, category_id: int, moved: Mapping[int, tuple[Mapping[str, Any], str]]
) -> None:
    """Gives ads the category, with attributes and their words."""
    attributes = [json.dumps(values) for values, _ in moved.values()]
    words = [text for _, text in moved.values()]
    await db.fetch(MOVE_ADS, category_id, list(moved), attributes, words)
