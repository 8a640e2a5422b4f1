"""Icons and colours of categories

Revision ID: 0122
Revises: 0121
"""

import sqlalchemy as sa
from alembic import op

revision = "0122"
down_revision = "0121"
branch_labels = None
depends_on = None
oldest_head = None

# The icons that the storefront had for categories of the starter tree, by slug.
ICONS = (
    "vehicles:car cars:car motorcycles:motorbike bicycles:bike commercial-vehicles:truck "
    "vehicle-parts:engine property:key homes:building-community flats-for-rent:building "
    "flats-for-sale:building-community houses-for-rent:home "
    "houses-for-sale:building-cottage rooms:bed holiday-homes:beach land:map "
    "commercial-property:building-store electronics:device-mobile phones:device-mobile "
    "computers:device-laptop tv-audio:device-tv cameras:camera games:device-gamepad "
    "home:sofa furniture:armchair appliances:wash-machine garden:plant-2 tools:tools "
    "clothing:shirt womens-clothing:hanger mens-clothing:jacket childrens-clothing:shirt "
    "shoes:shoe family:baby-carriage toys:lego baby:baby-bottle pets:paw "
    "leisure:guitar-pick books:books sports:ball-football instruments:music "
    "collectables:coins jobs:briefcase jobs-offered:briefcase jobs-wanted:users "
    "services:hammer craft:tools lessons:school transport:truck-delivery care:stethoscope "
)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("categories", sa.Column("icon", sa.Text()))
    op.add_column("categories", sa.Column("color", sa.Text()))
    pairs = (pair.split(":") for pair in ICONS.split())
    rows = ", ".join(f"('{slug}', '{icon}')" for slug, icon in pairs)
    op.execute(
        "UPDATE categories SET icon = known.icon"  # noqa: S608 - of the list above
        f" FROM (VALUES {rows}) AS known (slug, icon) WHERE categories.slug = known.slug"
    )
