"""Answer figures

Revision ID: 0111
Revises: 0110
"""

from alembic import op

revision = "0111"
down_revision = "0110"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("""
CREATE TABLE answer_figures (
    user_id bigint NOT NULL,
    minutes integer,
    rate double precision,
    CONSTRAINT pk_answer_figures PRIMARY KEY (user_id),
    CONSTRAINT fk_answer_figures_user_id_users FOREIGN KEY (user_id)
        REFERENCES users (id) ON DELETE CASCADE
)
""")
