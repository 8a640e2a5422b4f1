"""The limits of the interface, each of them a setting.

They are a model of their own because three places need them and nothing else: the records are
validated against them, the OpenAPI document publishes them, and the settings read them from the
environment.
"""

from pydantic import BaseModel, Field, PositiveInt

MEBIBYTE = 1024 * 1024
# The column that holds a price is a four-byte integer.
LARGEST_PRICE = 2**31 - 1


class Limits(BaseModel):
    """Lengths are in characters, sizes in bytes."""

    username_min_length: PositiveInt = 4
    username_max_length: int = Field(default=254, ge=1, le=1000)
    password_min_length: PositiveInt = 8
    # An upper bound keeps one login from costing more than another.
    password_max_length: int = Field(default=128, ge=1, le=4096)
    name_max_length: PositiveInt = 64
    phone_min_length: PositiveInt = 5
    phone_max_length: PositiveInt = 32
    phone_min_digits: PositiveInt = 5
    phone_max_digits: PositiveInt = 15
    title_min_length: PositiveInt = 4
    title_max_length: PositiveInt = 150
    description_min_length: PositiveInt = 8
    description_max_length: PositiveInt = 8000
    price_max: int = Field(default=LARGEST_PRICE, ge=0, le=LARGEST_PRICE)
    comment_min_length: PositiveInt = 1
    comment_max_length: PositiveInt = 2000
    json_body_max_bytes: PositiveInt = 64 * 1024
    image_max_bytes: PositiveInt = 10 * MEBIBYTE
    image_max_pixels: PositiveInt = 40_000_000
    page_size_max: int = Field(default=1000, ge=1, le=10_000)
    page_size_default: PositiveInt = 100
