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
    """What clients may send.

    The OpenAPI document publishes those in force. Lengths are in characters, sizes in bytes.
    """

    username_min_length: Count = 4
    """Of a user name."""
    username_max_length: int = Field(default=254, ge=1, le=USERNAME_LARGEST)
    """Of a user name; at most 500."""
    password_min_length: Count = 8
    """Of a password."""
    # An upper bound keeps one login from costing more than another.
    password_max_length: int = Field(default=128, ge=1, le=4096)
    """Of a password; at most 4096."""
    name_max_length: ShortText = 64
    """Of a first or last name; at most 1000."""
    phone_min_length: Count = 5
    """Of a phone number, unless it is empty."""
    phone_max_length: ShortText = 32
    """Of a phone number; at most 1000."""
    phone_min_digits: Count = 5
    """Of a phone number: its digits alone."""
    phone_max_digits: Count = 15
    """Of a phone number: its digits alone."""
    title_min_length: Count = 4
    """Of an ad's title, after spaces at both ends are removed."""
    title_max_length: ShortText = 150
    """Of an ad's title; at most 1000."""
    description_min_length: Count = 8
    """Of an ad's description."""
    description_max_length: LongText = 8000
    """Of an ad's description; at most 50000, which the search can still take."""
    place_min_length: Count = 1
    """Of an ad's place, after spaces at both ends are removed."""
    place_max_length: ShortText = 120
    """Of an ad's place; at most 1000."""
    price_max: int = Field(default=LARGEST_PRICE, ge=0, le=LARGEST_PRICE)
    """The highest price, in whole units of the site's currency; this is also the highest possible.
    """
    comment_min_length: Count = 1
    """Of a comment."""
    comment_max_length: LongText = 2000
    """Of a comment; at most 50000."""
    report_max_length: LongText = 2000
    """Of what a report says besides its reason; at most 50000."""
    statement_min_length: Count = 1
    """Of the explanation of a decision, and of an appeal."""
    statement_max_length: LongText = 4000
    """Of the explanation of a decision, and of an appeal; at most 50000."""
    reference_max_length: ShortText = 200
    """Of the paragraph that a decision names; at most 1000."""
    json_body_max_bytes: RequestBytes = 64 * 1024
    """Bytes of a JSON body, of a form at `/token` or `/revoke`, and of the part `properties`; at
    least 1024."""
    image_max_bytes: Bytes = 10 * MEBIBYTE
    """Bytes of an uploaded picture."""
    image_max_pixels: Count = 40_000_000
    """Pixels of an uploaded picture."""
    # All pictures of an ad come in one answer, and may come in one upload.
    ad_images_max: int = Field(default=12, ge=1, le=100)
    """Pictures of an ad, and of one upload; 100 at most. Behind a proxy, its limit on bodies goes
    with it."""
    page_size_max: int = Field(default=1000, ge=1, le=10_000)
    """Ads or comments on a page; at most 10000."""
    page_size_default: Count = 100
    """Those on a page that does not ask for a number."""
