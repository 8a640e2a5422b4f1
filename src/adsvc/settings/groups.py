"""The settings in groups. `Settings` inherits from all of them."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, StringConstraints
from pydantic_settings import NoDecode

from adsvc.limits import MEBIBYTE, Bytes, Count, RequestBytes
from adsvc.settings.choices import AdEditors, LogFormat, RateLimits, Storefront
from adsvc.settings.validators import (
    LARGEST_PORT,
    built_storefront,
    contacts,
    language_tags,
    networks,
    origins,
    postgres_url,
    site_address,
    usable_secret,
)

# At most a day. The bounds also exclude infinity and NaN.
Seconds = Annotated[float, Field(gt=0, le=86_400)]
BytesOrNone = Annotated[int, Field(ge=0, le=2**50)]


def _half_of_the_cores() -> int:
    """The event loop and the database need the rest."""
    return max(1, (os.cpu_count() or 1) // 2)


def _searches_at_once() -> int:
    """More searches at once would not end sooner, and would leave less for everything else."""
    return max(2, _half_of_the_cores())


class ServerSettings(BaseModel):
    """The address, the processes, the files and the log."""

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=LARGEST_PORT)
    workers: int = Field(default=1, ge=1, le=64)
    data_dir: Path = Path("data")
    log_format: LogFormat = LogFormat.CONSOLE
    audit_days: int = Field(default=180, ge=1, le=36_500)


class DatabaseSettings(BaseModel):
    """PostgreSQL. Without a URL the service runs a database of its own."""

    database_url: Annotated[SecretStr, AfterValidator(postgres_url)] | None = None
    database_pool_size: Count = 10
    # PostgreSQL stores it, and a multiple of it, as milliseconds in four bytes.
    database_timeout_seconds: float = Field(default=3, ge=0.01, le=3600)


class AccessSettings(BaseModel):
    """Tokens, passwords, sessions and permissions."""

    jwt_secret: Annotated[SecretStr, AfterValidator(usable_secret)] | None = None
    jwt_issuer: str = "adsvc"
    jwt_audience: str = "adsvc"
    access_token_seconds: Count = 15 * 60
    refresh_token_seconds: Count = 30 * 24 * 60 * 60
    sessions_per_user: Count = 50
    http_basic: bool = False
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(origins)] = (
        "http://localhost:3000",
    )
    ad_editors: AdEditors = AdEditors.AUTHOR
    category_required: bool = False
    password_workers: Count = Field(default_factory=_half_of_the_cores)
    password_queue: Count = 32
    # OWASP's minimum for Argon2id with one lane. Tests take less.
    password_memory_kib: int = Field(default=19 * 1024, ge=8, le=4 * 1024 * 1024)
    password_iterations: int = Field(default=2, ge=1, le=1000)


class AdSettings(BaseModel):
    """What ads may and must have."""

    # For how long an ad is shown before it has to be renewed; 0 is for ever.
    ad_days: int = Field(default=0, ge=0, le=36_500)


class RateLimitSettings(BaseModel):
    """Rate limits, and the proxies whose forwarded addresses they trust."""

    rate_limits: RateLimits = RateLimits.ON
    login_attempts: Count = 10
    login_attempts_per_address: Count = 100
    # The limit of a wider network (/56 and /48 of IPv6, /24 of IPv4) is so many times as high.
    login_network_factor: Count = 4
    login_window_seconds: Count = 5 * 60
    login_attempts_per_account: Count = 100
    login_account_window_seconds: Count = 60 * 60
    registrations_per_address: Count = 100
    registration_window_seconds: Count = 60 * 60
    writes_per_user: Count = 600
    write_window_seconds: Count = 10 * 60
    uploads_per_user: Count = 200
    upload_window_seconds: Count = 60 * 60
    ad_reads_per_user: Count = 300
    ad_read_window_seconds: Count = 60 * 60
    # Each process counts for itself.
    searches_per_address: Count = 120
    search_window_seconds: Count = 60
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(networks)] = ()


class SiteSettings(BaseModel):
    """What kind of site it is: clients are told."""

    # Its words add nothing to the strength of a password either.
    site_name: str = "adsvc"
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "EUR"
    # The first is what the site speaks to whom it knows nothing of.
    languages: Annotated[tuple[str, ...], NoDecode, BeforeValidator(language_tags)] = ("en",)
    # Where visitors find it. Without it, a request says.
    site_url: Annotated[str, AfterValidator(site_address)] | None = None
    storefront: Storefront = Storefront.ON
    # Where the built files are, if not in the package.
    storefront_dir: Annotated[Path, AfterValidator(built_storefront)] | None = None
    # Without one there is no `/.well-known/security.txt`.
    security_contact: Annotated[tuple[str, ...], NoDecode, BeforeValidator(contacts)] = ()


class TransportSettings(BaseModel):
    """Limits of connections and requests, which the protocol enforces."""

    busy_requests: Count = 64
    connections: Count = 8192
    header_timeout_seconds: Seconds = 10
    body_timeout_seconds: Seconds = 30
    # Each so many bytes of a body give it a second more.
    body_min_bytes_per_second: Bytes = 32 * 1024
    send_timeout_seconds: Seconds = 60
    keep_alive_seconds: Count = 5
    header_max_bytes: RequestBytes = 64 * 1024
    header_max_count: Count = 100


class ImageSettings(BaseModel):
    """Uploads and pictures."""

    # They run at a low priority, so they mostly take time that nothing else needs.
    image_workers: Count = Field(default_factory=lambda: os.cpu_count() or 1)
    image_queue: Count = 8
    image_max_side: Count = 2048
    image_seconds: Seconds = 15
    # The lower bound is what an interpreter and the smallest pictures need.
    image_memory_bytes: int = Field(default=1024 * MEBIBYTE, ge=64 * MEBIBYTE, le=2**50)
    image_grace_seconds: Count = 24 * 60 * 60
    uploads_under_way_per_user: Count = 8
    uploads_under_way_max_bytes: Bytes = 256 * 1024 * 1024
    # The sum of an account's stored pictures. 0 means no quota.
    image_quota_bytes: BytesOrNone = 1024 * 1024 * 1024
    # The default is a gibibyte, but at most a tenth of the disk. 0 means no reserve.
    disk_reserve_bytes: BytesOrNone | None = None


class SearchSettings(BaseModel):
    """Listings, searches and the response cache."""

    # How many searches of one process the database runs at once, and how many wait.
    search_workers: Count = Field(default_factory=_searches_at_once)
    search_queue: Count = 16
    search_words_max: Count = 12
    search_page_size_max: Count = 100
    search_language: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")] = "english"
    count_bound: Count = 1000
    facet_bound: Count = 10_000
    # 0 switches the cache off.
    answers_max_bytes: BytesOrNone = 48 * 1024 * 1024
