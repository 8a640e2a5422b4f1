"""Reports, cases, decisions, and what they hide

Revision ID: 0026
Revises: 0025
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

MOMENT = TIMESTAMP(timezone=True, precision=3)
OLD_STATUSES = ("draft", "active", "reserved", "sold", "withdrawn", "expired")
STATUSES = (*OLD_STATUSES, "suspended", "removed")
OLD_ROLES = ("USER", "ADMIN")
ROLES = (*OLD_ROLES, "MODERATOR")
COLUMNS: dict[str, tuple[sa.Column[Any], ...]] = {
    "ads": (
        sa.Column("hidden_from", sa.Text(), nullable=True),
        sa.Column("hidden_with_author", sa.Boolean(), server_default=sa.false(), nullable=False),
    ),
    "ad_images": (sa.Column("digest", sa.LargeBinary(), nullable=True),),
    "users": (sa.Column("suspended_until", MOMENT, nullable=True),),
}
# Whoever suspends an account locks its row, and hides the ads that are shown then. An ad that comes
# into sight at the same time waits for that here, and is hidden too.
HIDE_WITH_AUTHOR = """
CREATE FUNCTION hide_with_author() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    until timestamptz;
BEGIN
    SELECT suspended_until INTO until FROM users WHERE id = NEW.author_id FOR KEY SHARE;
    IF until > now() THEN
        NEW.hidden_from := NEW.status;
        NEW.status := 'suspended';
        NEW.hidden_with_author := true;
    END IF;
    RETURN NEW;
END $$
"""
# Somebody has changed what was hidden by a decision, and asks for another look.
LOOK_AGAIN = """
CREATE FUNCTION look_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cases SET status = 'open', changed_at = now()
    WHERE kind = 'ad' AND target_id = NEW.id AND status = 'decided';
    RETURN NULL;
END $$
"""
SHOWN = "status IN ('active', 'reserved')"
# By their names the first two come before those that make the words of what is shown.
TRIGGERS = (
    f"""
    CREATE TRIGGER hide_with_author_on_insert BEFORE INSERT ON ads FOR EACH ROW
    WHEN (NEW.{SHOWN}) EXECUTE FUNCTION hide_with_author()
    """,
    f"""
    CREATE TRIGGER hide_with_author_on_update BEFORE UPDATE ON ads FOR EACH ROW
    WHEN (NEW.{SHOWN} AND NOT (OLD.{SHOWN})) EXECUTE FUNCTION hide_with_author()
    """,
    """
    CREATE TRIGGER look_again AFTER UPDATE ON ads FOR EACH ROW
    WHEN (OLD.status = 'suspended' AND NEW.status = 'suspended'
        AND NOT NEW.hidden_with_author AND OLD.updated_at <> NEW.updated_at)
    EXECUTE FUNCTION look_again()
    """,
)


def one_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join(map(repr, values))})"


def replace_check(table: str, name: str, condition: str) -> None:
    """Without a look at what is there: that is for the migration after this one."""
    op.execute(
        f"ALTER TABLE {table} DROP CONSTRAINT {name},"
        f" ADD CONSTRAINT {name} CHECK ({condition}) NOT VALID"
    )


def identity() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False)


def moment(name: str) -> sa.Column[object]:
    return sa.Column(name, MOMENT, server_default=sa.func.now(), nullable=False)


def words(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def refers(table: str, column: str, to: str, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{to}"
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete=ondelete)


def create_cases() -> None:
    op.create_table(
        "cases",
        identity(),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("ad_id", sa.BigInteger(), nullable=False),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("reports", sa.Integer(), server_default="0", nullable=False),
        sa.Column("snapshot", JSONB(), nullable=False),
        moment("created_at"),
        moment("changed_at"),
        sa.PrimaryKeyConstraint("id", name="pk_cases"),
        sa.UniqueConstraint("kind", "target_id", name="uq_cases_kind_target_id"),
        refers("cases", "author_id", "users"),
        sa.CheckConstraint("kind IN ('ad', 'comment')", name="kind"),
        sa.CheckConstraint("status IN ('open', 'decided', 'appealed')", name="status"),
    )
    op.create_index("ix_cases_queue", "cases", ["status", sa.text("(- reports)"), "id"])
    op.create_index("ix_cases_author_id", "cases", ["author_id"])
    op.create_index("ix_cases_changed_at", "cases", ["changed_at"])


def create_reports() -> None:
    op.create_table(
        "reports",
        identity(),
        sa.Column("case_id", sa.BigInteger(), nullable=False),
        sa.Column("reporter_id", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        moment("at"),
        sa.Column("counts", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("snapshot", JSONB(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
        sa.UniqueConstraint("case_id", "reporter_id", name="uq_reports_case_id_reporter_id"),
        refers("reports", "case_id", "cases"),
        refers("reports", "reporter_id", "users", "SET NULL"),
    )
    op.create_index("ix_reports_reporter_id", "reports", ["reporter_id"])


def create_decisions() -> None:
    op.create_table(
        "decisions",
        identity(),
        moment("at"),
        sa.Column("case_id", sa.BigInteger(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("ground", sa.Text(), nullable=True),
        words("reference"),
        words("explanation"),
        sa.Column("until", MOMENT, nullable=True),
        sa.Column("undoes_id", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("appealed_at", MOMENT, nullable=True),
        sa.Column("appeal", sa.Text(), nullable=True),
        sa.Column("final", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        refers("decisions", "case_id", "cases"),
        refers("decisions", "user_id", "users"),
        refers("decisions", "actor_id", "users", "SET NULL"),
        refers("decisions", "undoes_id", "decisions", "SET NULL"),
    )
    op.create_index("ix_decisions_user_id_id", "decisions", ["user_id", "id"])
    op.create_index("ix_decisions_case_id", "decisions", ["case_id"])
    op.create_index("ix_decisions_undoes_id", "decisions", ["undoes_id"])
    op.create_index(
        "ix_decisions_actor_id",
        "decisions",
        ["actor_id"],
        postgresql_where=sa.text("actor_id IS NOT NULL"),
    )


def create_removed_comments() -> None:
    op.create_table(
        "removed_comments",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ad_id", sa.BigInteger(), nullable=False),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        moment("removed_at"),
        sa.PrimaryKeyConstraint("id", name="pk_removed_comments"),
        refers("removed_comments", "ad_id", "ads"),
        refers("removed_comments", "author_id", "users"),
    )
    for column in ("ad_id", "author_id", "removed_at"):
        op.create_index(f"ix_removed_comments_{column}", "removed_comments", [column])


def upgrade() -> None:
    # Whoever holds a table for long makes this fail, not everybody else wait behind it.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for table, columns in COLUMNS.items():
        for column in columns:
            op.add_column(table, column)
    # A longer text needs no row written anew.
    op.execute("ALTER TABLE users ALTER role TYPE varchar(9)")
    replace_check("users", "ck_users_role", one_of("role", ROLES))
    replace_check("ads", "ck_ads_status", one_of("status", STATUSES))
    create_cases()
    create_reports()
    create_decisions()
    create_removed_comments()
    for statement in (HIDE_WITH_AUTHOR, LOOK_AGAIN, *TRIGGERS):
        op.execute(statement)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP FUNCTION look_again() CASCADE")
    op.execute("DROP FUNCTION hide_with_author() CASCADE")
    for table in ("removed_comments", "decisions", "reports", "cases"):
        op.drop_table(table)
    # What the version before does not know becomes what is nearest to it.
    op.execute("UPDATE ads SET status = 'withdrawn' WHERE status IN ('suspended', 'removed')")
    op.execute("UPDATE users SET role = 'USER' WHERE role = 'MODERATOR'")
    replace_check("ads", "ck_ads_status", one_of("status", OLD_STATUSES))
    replace_check("users", "ck_users_role", one_of("role", OLD_ROLES))
    op.execute("ALTER TABLE users ALTER role TYPE varchar(5)")
    for table, columns in COLUMNS.items():
        for column in columns:
            op.drop_column(table, column.name)
