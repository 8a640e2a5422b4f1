"""Views of ads

Revision ID: 0115
Revises: 0114
"""

from alembic import op

revision = "0115"
down_revision = "0114"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("""
CREATE TABLE ad_views (
    ad_id bigint NOT NULL,
    day date NOT NULL,
    views bigint NOT NULL DEFAULT 0,
    visitors bigint[] NOT NULL DEFAULT '{}',
    aliases bigint[] NOT NULL DEFAULT '{}',
    CONSTRAINT pk_ad_views PRIMARY KEY (ad_id, day),
    CONSTRAINT fk_ad_views_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads (id) ON DELETE CASCADE
)
""")
