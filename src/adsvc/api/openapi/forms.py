"""Bodies that are forms: named records of the document, to which operations refer."""

from adsvc.api.openapi.schemas import Json, reference
from adsvc.schemas.fields import PLACEHOLDER

IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp")

MULTIPART, FORM_ENCODED = "multipart/form-data", "application/x-www-form-urlencoded"

IMAGE_PART = {
    "type": "string",
    "format": "binary",
    "contentMediaType": "application/octet-stream",
    "description": "JPEG, PNG or WebP, judged by content.",
}

IMAGES_PART = {
    "type": "array",
    "items": IMAGE_PART,
    "description": "One part of this name for each picture, in their order.",
    PLACEHOLDER: "ad_images",
}


def _form(required: list[str], **properties: Json) -> Json:
    return {"type": "object", "required": required, "properties": properties}


# By the names that the document has them under.
FORMS: dict[str, Json] = {
    "CreateAdForm": _form(
        ["properties", "image"],
        properties={
            **reference("CreateAd"),
            "description": "JSON, as a text part or as a part of type application/json.",
        },
        image=IMAGES_PART,
    ),
    "ImageForm": _form(["image"], image=IMAGE_PART),
    "ImagesForm": _form(["image"], image=IMAGES_PART),
    "TokenForm": _form(
        ["grant_type"],
        grant_type={
            "type": "string",
            "enum": ["password", "refresh_token"],
            "examples": ["password"],
        },
        username={
            "type": "string",
            "description": "With `password`.",
            "examples": ["anna@example.com"],
        },
        password={
            "type": "string",
            "format": "password",
            "description": "With `password`.",
            "examples": ["correct horse battery"],
        },
        refresh_token={
            "type": "string",
            "description": "With `refresh_token`.",
            "examples": ["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
        },
    ),
    "RevocationForm": _form(
        ["token"],
        token={
            "type": "string",
            "minLength": 1,
            "description": "A refresh or an access token.",
            "examples": ["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
        },
        token_type_hint={
            "type": "string",
            "description": "Not needed.",
            "examples": ["refresh_token"],
        },
    ),
}


def _request(name: str, media_type: str, encoding: Json | None = None) -> Json:
    media: Json = {"schema": reference(name)}
    if encoding is not None:
        media["encoding"] = encoding
    return {"requestBody": {"required": True, "content": {media_type: media}}}


def ad_form() -> Json:
    # None for `image`: generators take a part with a type of its own for JSON.
    return _request("CreateAdForm", MULTIPART, {"properties": {"contentType": "application/json"}})


def image_form() -> Json:
    return _request("ImageForm", MULTIPART)


def images_form() -> Json:
    return _request("ImagesForm", MULTIPART)


def token_form() -> Json:
    """As OAuth 2.0 has it."""
    return _request("TokenForm", FORM_ENCODED)


def revocation_form() -> Json:
    return _request("RevocationForm", FORM_ENCODED)
