"""The OpenAPI document, made from what the routers declare."""

from adsvc.api.openapi.responses import (
    category_schema_responses,
    created_responses,
    image_responses,
    token_responses,
    with_limit,
    written_responses,
)
from adsvc.api.openapi.schemas import (
    ad_form,
    feed_body,
    image_form,
    images_form,
    revocation_form,
    token_form,
)

__all__ = [
    "ad_form",
    "category_schema_responses",
    "created_responses",
    "feed_body",
    "image_form",
    "image_responses",
    "images_form",
    "revocation_form",
    "token_form",
    "token_responses",
    "with_limit",
    "written_responses",
]
