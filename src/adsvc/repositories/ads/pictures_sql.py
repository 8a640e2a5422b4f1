"""The SQL of an ad's pictures as JSON, as `schemas.ads.images` has them."""

from adsvc.pictures.variants import EXTENSION, VARIANTS
from adsvc.schemas.base import IMAGE_PATH


def _side(column: str, limit: int) -> str:
    """As `pictures.variants.size_within`."""
    return (
        f"CASE WHEN longest > {limit} THEN"
        f" greatest(1, ({column} * {limit} + longest / 2) / longest) ELSE {column} END"
    )


def _variant(key: str, limit: int) -> str:
    return (
        f"'{key}', json_build_object("
        f"'path', '{IMAGE_PATH}' || split_part(name, '.', 1) || '-{key}.{EXTENSION}',"
        f" 'width', {_side('width', limit)}, 'height', {_side('height', limit)})"
    )


_VARIANTS = ", ".join(_variant(key, limit) for key, limit in VARIANTS.items())


def images_sql(ad_id: str) -> str:
    """All pictures of an ad, in their order: a list of `Image`."""
    return f"""(
        SELECT coalesce(json_agg(json_build_object(
            'id', id, 'image', '{IMAGE_PATH}' || name, 'width', width, 'height', height,
            'variants', CASE WHEN has_variants THEN json_build_object({_VARIANTS})
                ELSE json_build_object() END,
            'placeholder', placeholder
        ) ORDER BY position), '[]')
        FROM (
            SELECT *, greatest(width, height) AS longest FROM ad_images WHERE ad_id = {ad_id}
        ) AS picture
    )"""
