"""The limits of the interface, each of them a setting.

They are a model of their own because three places need only them: validation of records, the
OpenAPI document, and the settings, which read them from the environment.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from adsvc.kit.settings import MEBIBYTE, Bytes, Count, RequestBytes

# The column that holds a price is a four-byte integer.
LARGEST_PRICE = 2**31 - 1
# An entry of the index on user names has 2,704 bytes, and a character up to four or five.
USERNAME_LARGEST = 500
# The words of an ad have to fit PostgreSQL's tsvector, which takes a megabyte, twice.
ShortText = Annotated[int, Field(ge=1, le=1000)]
LongText = Annotated[int, Field(ge=1, le=50_000)]


class Limits(BaseModel):
    """What clients may send.

    The OpenAPI document publishes those in force. Lengths are in characters, sizes in bytes.
    """

    # `GET /site` publishes the first sentence of each docstring.
    model_config = ConfigDict(use_attribute_docstrings=True)

    username_min_length: Count = 4
    """Fewest characters of a user name."""
    username_max_length: int = Field(default=254, ge=1, le=USERNAME_LARGEST)
    """Most characters of a user name. At most 500."""
    password_min_length: Count = 8
    """Fewest characters of a password."""
    # An upper bound keeps one login from costing more than another.
    password_max_length: int = Field(default=128, ge=1, le=4096)
    """Most characters of a password. At most 4096."""
    name_max_length: ShortText = 64
    """Most characters of a first or last name. At most 1000."""
    phone_min_length: Count = 5
    """Fewest characters of a phone number, which may also be empty."""
    phone_max_length: ShortText = 32
    """Most characters of a phone number. At most 1000."""
    phone_min_digits: Count = 5
    """Fewest digits of a phone number."""
    phone_max_digits: Count = 15
    """Most digits of a phone number."""
    title_min_length: Count = 4
    """Fewest characters of an ad's title, not counting spaces at both ends."""
    title_max_length: ShortText = 150
    """Most characters of an ad's title, not counting spaces at both ends. At most 1000."""
    description_min_length: Count = 8
    """Fewest characters of an ad's description."""
    description_max_length: LongText = 8000
    """Most characters of an ad's description. At most 50000, which the search can still index."""
    place_min_length: Count = 1
    """Fewest characters of an ad's place, not counting spaces at both ends."""
    place_max_length: ShortText = 120
    """Most characters of an ad's place, not counting spaces at both ends. At most 1000."""
    price_max: int = Field(default=LARGEST_PRICE, ge=0, le=LARGEST_PRICE)
    """Highest price, in the smallest unit of the site. At most 2147483647."""
    comment_min_length: Count = 1
    """Fewest characters of a comment."""
    comment_max_length: LongText = 2000
    """Most characters of a comment. At most 50000."""
    message_min_length: Count = 1
    """Fewest characters of a message to another account."""
    message_max_length: LongText = 4000
    """Most characters of a message to another account. At most 50000."""
    rating_max_length: ShortText = 500
    """Most characters of a rating, and of the answer to it. At most 1000."""
    report_max_length: LongText = 2000
    """Most characters of a report's text. At most 50000."""
    statement_min_length: Count = 1
    """Fewest characters of a decision's explanation, and of an appeal."""
    statement_max_length: LongText = 4000
    """Most characters of a decision's explanation, and of an appeal. At most 50000."""
    reference_max_length: ShortText = 200
    """Most characters of the paragraph that a decision refers to. At most 1000."""
    key_name_min_length: Count = 1
    """Fewest characters of an API key's name, not counting spaces at both ends."""
    key_name_max_length: ShortText = 100
    """Most characters of an API key's name, not counting spaces at both ends. At most 1000."""
    json_body_max_bytes: RequestBytes = 64 * 1024
    """Most bytes of a JSON body, of a form at `/token` or `/revoke`, and of the part `properties`.
    At least 1024."""
    image_max_bytes: Bytes = 10 * MEBIBYTE
    """Most bytes of an uploaded picture."""
    image_max_pixels: Count = 40_000_000
    """Most pixels of an uploaded picture."""
    # All pictures of an ad come in one answer, and may come in one upload.
    ad_images_max: int = Field(default=12, ge=1, le=100)
    """Most pictures of an ad, and of one upload. At most 100. A proxy's own limit on bodies must
    leave room for them."""
    page_size_max: int = Field(default=1000, ge=1, le=10_000)
    """Most records on a page of ads, comments and other lists. At most 10000."""
    page_size_default: Count = 100
    """Records on a page if the request has no `limit`."""
