"""Text search, orders by price and by time, and notice of every change

Revision ID: 0003
Revises: 0002
"""

from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MOMENTS = (
    ("users", "created_at"),
    ("ads", "created_at"),
    ("ads", "updated_at"),
    ("comments", "created_at"),
    ("comments", "updated_at"),
    ("sessions", "began_at"),
    ("sessions", "last_used_at"),
    ("sessions", "expires_at"),
)

# What every process that keeps answers in memory has to forget; many things at once go as one.
TELL_CHANGES = """
CREATE FUNCTION tell_changes(kind text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(ids) > 20 THEN
        PERFORM pg_notify('adsvc', kind || ':');
    ELSE
        PERFORM pg_notify('adsvc', kind || ':' || id) FROM unnest(ids) AS id;
    END IF;
END $$
"""
TRIGGERS = {
    # A new ad is in no answer yet, but belongs into listings.
    ("ads", "INSERT", "REFERENCING NEW TABLE AS new_rows"): "PERFORM tell_changes('ad', '{0}');",
    ("ads", "UPDATE", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"): """
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
        PERFORM tell_changes('image', array_agg(o.image))
        FROM old_rows o JOIN new_rows n USING (id) WHERE o.image <> n.image HAVING count(*) > 0;
    """,
    ("ads", "DELETE", "REFERENCING OLD TABLE AS old_rows"): """
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
        PERFORM tell_changes('image', array_agg(image)) FROM old_rows HAVING count(*) > 0;
    """,
    ("users", "UPDATE", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"): """
        PERFORM tell_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
        PERFORM tell_changes('image', array_agg(o.image))
        FROM old_rows o JOIN new_rows n USING (id)
        WHERE o.image IS DISTINCT FROM n.image AND o.image IS NOT NULL HAVING count(*) > 0;
    """,
    ("users", "DELETE", "REFERENCING OLD TABLE AS old_rows"): """
        PERFORM tell_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
        PERFORM tell_changes('image', array_agg(image))
        FROM old_rows WHERE image IS NOT NULL HAVING count(*) > 0;
    """,
    ("sessions", "DELETE", "REFERENCING OLD TABLE AS old_rows"): """
        PERFORM tell_changes('session', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    """,
    ("ads", "TRUNCATE", ""): """
        PERFORM pg_notify('adsvc', 'ad:'), pg_notify('adsvc', 'image:');
    """,
    ("users", "TRUNCATE", ""): """
        PERFORM pg_notify('adsvc', 'user:'), pg_notify('adsvc', 'image:');
    """,
    ("sessions", "TRUNCATE", ""): "PERFORM pg_notify('adsvc', 'session:');",
}


def set_precision(precision: int) -> None:
    for table, column in MOMENTS:
        kind = TIMESTAMP(timezone=True, precision=precision)
        op.alter_column(table, column, type_=kind, existing_nullable=False)


def upgrade() -> None:
    # What clients see, milliseconds, is what is compared.
    set_precision(3)
    op.create_index("ix_ads_price_id", "ads", ["price", "id"])
    op.create_index("ix_ads_created_at_id", "ads", ["created_at", "id"])
    # `adsvc migrate` makes it anew for another language; see adsvc.migrations.
    op.execute("CREATE TEXT SEARCH CONFIGURATION adsvc (COPY = english)")
    op.execute("COMMENT ON TEXT SEARCH CONFIGURATION adsvc IS 'english'")
    for column, expression in (
        ("title_search", "to_tsvector('simple', title) || to_tsvector('adsvc', title)"),
        (
            "search",
            (
                "to_tsvector('simple', title || ' ' || description)"
                " || to_tsvector('adsvc', title || ' ' || description)"
            ),
        ),
    ):
        op.execute(
            f"ALTER TABLE ads ADD {column} tsvector NOT NULL"
            f" GENERATED ALWAYS AS ({expression}) STORED"
        )
        op.create_index(f"ix_ads_{column}", "ads", [column], postgresql_using="gin")
    op.execute(TELL_CHANGES)
    for (table, event, referencing), body in TRIGGERS.items():
        name = f"tell_{table}_{event.lower()}"
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN {body} RETURN NULL; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} {referencing}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
        )


def downgrade() -> None:
    for table, event, _ in TRIGGERS:
        op.execute(f"DROP FUNCTION tell_{table}_{event.lower()}() CASCADE")
    op.execute("DROP FUNCTION tell_changes(text, text[])")
    op.drop_column("ads", "search")
    op.drop_column("ads", "title_search")
    op.execute("DROP TEXT SEARCH CONFIGURATION adsvc")
    op.drop_index("ix_ads_created_at_id", "ads")
    op.drop_index("ix_ads_price_id", "ads")
    set_precision(6)
