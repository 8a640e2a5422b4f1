"""How much each process takes on: searches, pictures, connections."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from adsvc.limits import MEBIBYTE, Bytes, Count, RequestBytes
from adsvc.settings.machine import all_cores, half_of_the_cores_but_two

# At most a day. The bounds also exclude infinity and NaN.
Seconds = Annotated[float, Field(gt=0, le=86_400)]
BytesOrNone = Annotated[int, Field(ge=0, le=2**50)]


class SearchSettings(BaseModel):
    """Listings, searches and the response cache."""

    search_workers: Count = Field(default_factory=half_of_the_cores_but_two)
    """Searches, filtered lists and facets that the database works on at once."""
    search_queue: Count = 16
    """Searches that may wait for it; more are refused with 503."""
    search_words_max: Count = 12
    """Most words in `q`."""
    search_page_size_max: Count = 100
    """Most ads on a page of a search for words."""
    search_language: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")] = "english"
    """Whose stems the search knows: a text search configuration of PostgreSQL, such as `german`,
    `russian`, or `simple` for none. `adsvc migrate` changes it."""
    count_bound: Count = 1000
    """How many matches of a filter are counted; of a search, at most those that are looked at."""
    facet_bound: Count = 10_000
    """How many of the newest matches facets count."""
    answers_max_bytes: BytesOrNone = 48 * 1024 * 1024
    """Memory of each process for answers that are ready; `0` switches it off."""


class ImageSettings(BaseModel):
    """Uploads and pictures."""

    # They run at a low priority, so they mostly take time that nothing else needs.
    image_workers: Count = Field(default_factory=all_cores)
    """Pictures converted at once, each in a process of its own."""
    image_queue: Count = 8
    """Uploads that may come in or wait for it; more are refused with 503. One account has half of
    the workers, and two places in the queue."""
    image_max_side: Count = 2048
    """Longest side of a stored picture, in pixels; larger ones are scaled down."""
    image_seconds: Seconds = 15
    """Longest time for one picture; what takes longer is refused with 400."""
    # The lower bound is what an interpreter and the smallest pictures need.
    image_memory_bytes: int = Field(default=1024 * MEBIBYTE, ge=64 * MEBIBYTE, le=2**50)
    """Address space of a process that converts pictures; what needs more is refused with 400. At
    least 64 MiB."""
    image_grace_seconds: Count = 24 * 60 * 60
    """`adsvc sweep` spares files younger than this."""
    uploads_under_way_per_user: Count = 8
    """Uploads of one account that come in or are converted at once; more are refused with 429."""
    uploads_under_way_max_bytes: Bytes = 256 * 1024 * 1024
    """Bytes of the uploads of all accounts that have come in and are under way; more are refused
    with 503. One account has at most an eighth of them, or more while less than half are used."""
    image_quota_bytes: BytesOrNone = 1024 * 1024 * 1024
    """What the stored pictures of one account may take, of its ads and its avatar; more are
    refused with 409. `0` for no limit."""
    text_quota_bytes: BytesOrNone = 16 * 1024 * 1024
    """What the ads, comments and reports of one account may take, as text in UTF-8; what would add
    more is refused with 409. `0` for no limit."""
    disk_reserve_bytes: BytesOrNone | None = None
    """Free space below which the disk of pictures takes no uploads, and that of an embedded
    database neither those nor what adds text (503): a GiB, or a tenth of a smaller disk, unless
    set, and at least 48 MiB beside an embedded database; `0` for none. With pictures in a bucket
    and a database server of your own it counts for no disk."""


class TransportSettings(BaseModel):
    """Limits of connections and requests, which the protocol enforces."""

    busy_requests: Count = 64
    """Requests at work at once, half of them of one address; more are refused with 503. Those that
    wait for their client do not count."""
    connections: Count = 8192
    """Connections of clients that a process has at once, fewer where it may open too few files;
    beyond it, some that wait for their clients are closed."""
    header_timeout_seconds: Seconds = 10
    """From the opening of a connection, or the first byte of its next request, to the end of the
    headers; then 408."""
    body_timeout_seconds: Seconds = 30
    """From there to the end of the body; then 408."""
    body_min_bytes_per_second: Bytes = 32 * 1024
    """Each so many bytes of a body give it a second more."""
    body_max_seconds: Seconds = 600
    """But no body has longer than this; then 408."""
    send_timeout_seconds: Seconds = 60
    """How long a client may take nothing of an answer; then the connection is cut."""
    keep_alive_seconds: Count = 5
    """How long a connection stays open after an answer."""
    header_max_bytes: RequestBytes = 64 * 1024
    """Bytes of request line and headers together; more is 431. At least 1024."""
    header_max_count: Count = 100
    """Headers of one request; more is 431."""
