"""What ads and comments say, as parts of statements: `schemas.moderation.cases.Snapshot`."""

from adsvc.repositories.ads.visibility import current_status
from adsvc.schemas.base import IMAGE_PATH

CATEGORY = "(SELECT slug FROM categories WHERE categories.id = {}.category_id)"

# The files go when they are deleted; their digests tell later whether others are the same.
PICTURES = f"""(
    SELECT coalesce(jsonb_agg(
        jsonb_build_object('image', '{IMAGE_PATH}' || name, 'digest', encode(digest, 'hex'))
        ORDER BY position
    ), '[]') FROM ad_images WHERE ad_id = {{}}.id
)"""


def ad_content(ads: str) -> str:
    """Of the row of that name, in JSON."""
    return f"""jsonb_build_object(
        'title', {ads}.title, 'description', {ads}.description, 'price', {ads}.price,
        'priceType', {ads}.price_type, 'category', {CATEGORY.format(ads)},
        'attributes', {ads}.attributes, 'place', {ads}.place, 'images', {PICTURES.format(ads)}
    )"""


def comment_content(comments: str) -> str:
    return f"jsonb_build_object('text', {comments}.text)"


# What a thing says now, and its status if it is an ad. Parameters: its kind and its id.
CURRENT = f"""
    SELECT {ad_content("ads")} || jsonb_build_object('status', {current_status()}) AS content
    FROM ads WHERE :kind = 'ad' AND id = :target_id
    UNION ALL
    SELECT {comment_content("comments")} FROM comments WHERE :kind = 'comment' AND id = :target_id
"""
