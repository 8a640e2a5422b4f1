"""The limits of the interface, each of them a setting.

They are a model of their own because three places need them and nothing else: the records are
validated against them, the OpenAPI document publishes them, and the settings read them from the
environment.
"""

from typing import Annotated

from pydantic import BaseModel, Field

MEBIBYTE = 1024 * 1024
# The column that holds a price is a four-byte integer.
LARGEST_PRICE = 2**31 - 1
# An entry of the index on user names has 2,704 bytes, and a character up to four or five.
USERNAME_LARGEST = 500

# No setting is so large that a database, a clock or a C library cannot count so far.
Count = Annotated[int, Field(ge=1, le=2**31 - 1)]
Bytes = Annotated[int, Field(ge=1, le=2**50)]
# What a request is made of, however little it says.
RequestBytes = Annotated[int, Field(ge=1024, le=2**30)]
# The words of an ad have to fit PostgreSQL's tsvector, which takes a megabyte, twice.
ShortText = Annotated[int, Field(ge=1, le=1000)]
LongText = Annotated[int, Field(ge=1, le=50_000)]


class Limits(BaseModel):
    """Lengths are in characters, sizes in bytes."""

    username_min_length: Count = 4
    username_max_length: int = Field(default=254, ge=1, le=USERNAME_LARGEST)
    password_min_length: Count = 8
    # An upper bound keeps one login from costing more than another.
    password_max_length: int = Field(default=128, ge=1, le=4096)
    name_max_length: ShortText = 64
    phone_min_length: Count = 5
    phone_max_length: ShortText = 32
    phone_min_digits: Count = 5
    phone_max_digits: Count = 15
    title_min_length: Count = 4
    title_max_length: ShortText = 150
    description_min_length: Count = 8
    description_max_length: LongText = 8000
    place_min_length: Count = 1
    place_max_length: ShortText = 120
    price_max: int = Field(default=LARGEST_PRICE, ge=0, le=LARGEST_PRICE)
    comment_min_length: Count = 1
    comment_max_length: LongText = 2000
    json_body_max_bytes: RequestBytes = 64 * 1024
    image_max_bytes: Bytes = 10 * MEBIBYTE
    image_max_pixels: Count = 40_000_000
    # All pictures of an ad come in one answer, and may come in one upload.
    ad_images_max: int = Field(default=12, ge=1, le=100)
    page_size_max: int = Field(default=1000, ge=1, le=10_000)
    page_size_default: Count = 100
