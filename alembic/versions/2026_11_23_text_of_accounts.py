"""How many bytes the text of each account takes

Revision ID: 0028
Revises: 0027
"""

from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None
oldest_head = None


class Text(NamedTuple):
    owner: str
    columns: tuple[str, ...]

    @property
    def size(self) -> str:
        return " + ".join(f"coalesce(octet_length(t.{column}), 0)" for column in self.columns)


TEXTS: Mapping[str, Text] = {
    "ads": Text("author_id", ("title", "description", "place", "attributes::text")),
    "comments": Text("author_id", ("text",)),
    "removed_comments": Text("author_id", ("text",)),
    "reports": Text("reporter_id", ("text",)),
}

# Rows are added and never changed, so that deletions of other accounts' things take no locks that
# could wait for each other. Cleaning adds them up.
COUNT = """
CREATE FUNCTION count_text_of_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.{owner}, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum({size})
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.{owner}) GROUP BY t.{owner};
    RETURN NULL;
END $$
"""
COUNT_CHANGE = """
CREATE FUNCTION count_changed_text_of_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes) VALUES (NEW.{owner}, ({after}) - ({before}));
    RETURN NULL;
END $$
"""
CHANGED = ("ads", "comments")

FORGET = """
CREATE FUNCTION forget_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM text_totals USING gone WHERE owner_id = gone.id;
    RETURN NULL;
END $$
"""
FORGET_ON_DELETE = """
CREATE TRIGGER forget_text AFTER DELETE ON users REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION forget_text()
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "text_totals",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_text_totals"),
    )
    op.create_index("ix_text_totals_owner_id", "text_totals", ["owner_id"])
    for table, text in TEXTS.items():
        op.execute(COUNT.format(table=table, owner=text.owner, size=text.size))
        for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD")):
            op.execute(
                f"CREATE TRIGGER count_text_on_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {rows} TABLE AS changed"
                f" FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_{table}()"
            )
    for table in CHANGED:
        text = TEXTS[table]
        after, before = (text.size.replace("(t.", f"({row}.") for row in ("NEW", "OLD"))
        op.execute(COUNT_CHANGE.format(table=table, owner=text.owner, after=after, before=before))
        columns = ", ".join(column.partition("::")[0] for column in text.columns)
        op.execute(
            f"CREATE TRIGGER count_changed_text AFTER UPDATE OF {columns} ON {table}"
            f" FOR EACH ROW WHEN (({after}) <> ({before}))"
            f" EXECUTE FUNCTION count_changed_text_of_{table}()"
        )
    op.execute(FORGET)
    op.execute(FORGET_ON_DELETE)


def downgrade() -> None:
    op.execute("DROP FUNCTION forget_text() CASCADE")
    for table in CHANGED:
        op.execute(f"DROP FUNCTION count_changed_text_of_{table}() CASCADE")
    for table in TEXTS:
        op.execute(f"DROP FUNCTION count_text_of_{table}() CASCADE")
    op.drop_table("text_totals")
