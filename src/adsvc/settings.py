"""What an operator can set, read from `ADSVC_*` variables or a `.env` file and checked at start."""

import os
import re
from enum import StrEnum
from ipaddress import IPv6Address
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from adsvc.addresses import both_ways, plain_network
from adsvc.errors import ConfigurationError
from adsvc.limits import MEBIBYTE, Bytes, Count, Limits, RequestBytes

# HS256 wants a key at least as long as its digest (RFC 7518 §3.2).
SECRET_MIN_BYTES = 32
# A secret with fewer different characters than this is a placeholder, not a secret.
SECRET_MIN_VARIETY = 10
LARGEST_PORT = 65_535


# No longer than a day, and neither infinite nor no number at all.
Seconds = Annotated[float, Field(gt=0, le=86_400)]
BytesOrNone = Annotated[int, Field(ge=0, le=2**50)]

# Never `*`: answers carry what credentials open. As browsers write them, in lower case.
ORIGIN = re.compile(
    r"([a-z][a-z0-9+.-]*)://([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?"
)
# Which browsers leave out.
DEFAULT_PORTS = {("http", "80"), ("https", "443")}


class AdEditors(StrEnum):
    """Who may change an ad; deletion is always for the author and administrators."""

    AUTHOR = "author"
    AUTHENTICATED = "authenticated"


class LogFormat(StrEnum):
    CONSOLE = "console"
    JSON = "json"


class RateLimits(StrEnum):
    ON = "on"
    OFF = "off"


def _usable_secret(secret: SecretStr) -> SecretStr:
    value = secret.get_secret_value()
    if len(value.encode()) < SECRET_MIN_BYTES:
        raise ValueError(f"must have at least {SECRET_MIN_BYTES} bytes")
    if len(set(value)) < SECRET_MIN_VARIETY or "change-me" in value.lower():
        raise ValueError("is a sample, not a secret; make one with: openssl rand -base64 48")
    return secret


def _postgres_url(secret: SecretStr) -> SecretStr:
    async_database_url(secret.get_secret_value())
    return secret


def async_database_url(text: str) -> URL:
    """The address as SQLAlchemy's asyncpg dialect wants it.

    Takes what hosting services hand out: the schemes `postgres`, `postgresql` and
    `postgresql+asyncpg`, and libpq's `sslmode`, which asyncpg calls `ssl`.
    """
    try:
        url = make_url(text)
    except ArgumentError:
        raise ValueError("is not a database URL") from None
    if url.drivername not in {"postgres", "postgresql", "postgresql+asyncpg"}:
        raise ValueError("must begin with postgresql://")
    query = dict(url.query)
    if "sslmode" in query:
        query["ssl"] = query.pop("sslmode")
    return url.set(drivername="postgresql+asyncpg", query=query)


def _origins(value: object) -> object:
    """Origins as RFC 6454 writes them, separated by commas; none if there is nothing."""
    if isinstance(value, str):
        value = tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
    if isinstance(value, (tuple, list)) and not all(_is_origin(str(item)) for item in value):
        raise ValueError(
            "must be origins as browsers send them, such as https://example.com, in lower case, "
            "without the scheme's own port and without a path, separated by commas"
        )
    return value


def _is_origin(text: str) -> bool:
    match = ORIGIN.fullmatch(text)
    if match is None:
        return False
    scheme, host, port = match.groups()
    if host.startswith("[") and not _is_canonical_ipv6(host[1:-1]):
        return False
    return port is None or (int(port) <= LARGEST_PORT and (scheme, port) not in DEFAULT_PORTS)


def _is_canonical_ipv6(text: str) -> bool:
    try:
        return str(IPv6Address(text)) == text
    except ValueError:
        return False


def _networks(value: object) -> object:
    """Addresses and networks, separated by commas."""
    if not isinstance(value, str):
        return value
    return tuple(str(plain_network(part.strip())) for part in value.split(",") if part.strip())


def _half_of_the_cores() -> int:
    """The event loop and the database want the rest."""
    return max(1, (os.cpu_count() or 1) // 2)


def _searches_at_once() -> int:
    """More would not be done sooner, and leave less for everything else."""
    return max(2, _half_of_the_cores())


class Settings(BaseSettings, Limits):
    """Every field is the variable `ADSVC_` and its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="ADSVC_",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=LARGEST_PORT)
    workers: int = Field(default=1, ge=1, le=64)
    data_dir: Path = Path("data")
    database_url: Annotated[SecretStr, AfterValidator(_postgres_url)] | None = None
    database_pool_size: Count = 10
    # PostgreSQL counts it in milliseconds, and a multiple of it, in four bytes.
    database_timeout_seconds: float = Field(default=3, ge=0.01, le=3600)
    jwt_secret: Annotated[SecretStr, AfterValidator(_usable_secret)] | None = None
    # Its words make no password better.
    site_name: str = "adsvc"
    jwt_issuer: str = "adsvc"
    jwt_audience: str = "adsvc"
    access_token_seconds: Count = 15 * 60
    refresh_token_seconds: Count = 30 * 24 * 60 * 60
    sessions_per_user: Count = 50
    http_basic: bool = False
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins)] = (
        "http://localhost:3000",
    )
    ad_editors: AdEditors = AdEditors.AUTHOR
    rate_limits: RateLimits = RateLimits.ON
    login_attempts: Count = 10
    login_attempts_per_address: Count = 100
    # How many times as much a wider network may do: the /56 and /48 of IPv6, the /24 of IPv4.
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
    # Counted by each process for itself.
    searches_per_address: Count = 120
    search_window_seconds: Count = 60
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_networks)] = ()
    busy_requests: Count = 64
    connections: Count = 8192
    header_timeout_seconds: Seconds = 10
    body_timeout_seconds: Seconds = 30
    send_timeout_seconds: Seconds = 60
    keep_alive_seconds: Count = 5
    header_max_bytes: RequestBytes = 64 * 1024
    header_max_count: Count = 100
    password_workers: Count = Field(default_factory=_half_of_the_cores)
    password_queue: Count = 32
    # OWASP's least for Argon2id with one lane; tests, which guard nothing, take less.
    password_memory_kib: int = Field(default=19 * 1024, ge=8, le=4 * 1024 * 1024)
    password_iterations: int = Field(default=2, ge=1, le=1000)
    # Processes of a low priority: most of what they take nobody else wants.
    image_workers: Count = Field(default_factory=lambda: os.cpu_count() or 1)
    image_queue: Count = 8
    image_max_side: Count = 2048
    image_seconds: Seconds = 15
    # An interpreter and the smallest pictures take the least of it.
    image_memory_bytes: int = Field(default=1024 * MEBIBYTE, ge=64 * MEBIBYTE, le=2**50)
    image_grace_seconds: Count = 24 * 60 * 60
    uploads_under_way_per_user: Count = 8
    uploads_under_way_max_bytes: Bytes = 256 * 1024 * 1024
    # Of one account's pictures as stored; 0 is none.
    image_quota_bytes: BytesOrNone = 1024 * 1024 * 1024
    # Unless set: a gibibyte, but no more than a tenth of the disk. 0 is none.
    disk_reserve_bytes: BytesOrNone | None = None
    # Searches that the database works on at once, for one process, and those that wait.
    search_workers: Count = Field(default_factory=_searches_at_once)
    search_queue: Count = 16
    search_words_max: Count = 12
    search_page_size_max: Count = 100
    search_language: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")] = "english"
    count_bound: Count = 10_000
    # 0 switches the memory off.
    answers_max_bytes: BytesOrNone = 48 * 1024 * 1024
    audit_days: int = Field(default=180, ge=1, le=36_500)
    log_format: LogFormat = LogFormat.CONSOLE

    @model_validator(mode="after")
    def _ranges_are_not_empty(self) -> Self:
        for lower, upper in (
            ("username_min_length", "username_max_length"),
            ("password_min_length", "password_max_length"),
            ("phone_min_length", "phone_max_length"),
            ("phone_min_digits", "phone_max_digits"),
            ("title_min_length", "title_max_length"),
            ("description_min_length", "description_max_length"),
            ("comment_min_length", "comment_max_length"),
            ("page_size_default", "page_size_max"),
        ):
            if getattr(self, lower) > getattr(self, upper):
                raise ValueError(f"ADSVC_{lower.upper()} is above ADSVC_{upper.upper()}")
        return self

    @property
    def uses_embedded_database(self) -> bool:
        return self.database_url is None

    @property
    def database_connections(self) -> int:
        """How many a process may open: two pools and a half, one to listen, one for `/readyz`."""
        return 2 * self.database_pool_size + max(1, self.database_pool_size // 2) + 2

    @property
    def trusted_networks(self) -> list[str]:
        """Of the trusted proxies, in each way in which their addresses can be written."""
        return list(both_ways(self.trusted_proxies))

    @property
    def image_dir(self) -> Path:
        return self.data_dir / "images"

    def to_environment(self) -> dict[str, str]:
        """The variables from which another process reads the same settings."""

        def text(value: object) -> str:
            if isinstance(value, SecretStr):
                return value.get_secret_value()
            # A comma alone is an empty list; an empty variable would be the default.
            return ",".join(value) or "," if isinstance(value, tuple) else str(value)

        return {f"ADSVC_{name.upper()}": text(value) for name, value in self if value is not None}

    def required_database_url(self) -> URL:
        if self.database_url is None:
            raise ConfigurationError("ADSVC_DATABASE_URL is not set.")
        return async_database_url(self.database_url.get_secret_value())

    def required_jwt_secret(self) -> str:
        if self.jwt_secret is None:
            raise ConfigurationError(
                "ADSVC_JWT_SECRET is not set. With a database of your own it must be, to at least "
                f"{SECRET_MIN_BYTES} bytes of your own making: openssl rand -base64 48"
            )
        return self.jwt_secret.get_secret_value()


def load_settings(**overrides: object) -> Settings:
    """The settings in force, or a `ConfigurationError` that names each variable at fault.

    Overrides outrank the environment; those that are None say nothing.
    """
    given: dict[str, Any] = {key: value for key, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        faults = [
            f"ADSVC_{'_'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}"
            if fault["loc"]
            else fault["msg"].removeprefix("Value error, ")
            for fault in error.errors(include_url=False, include_input=False)
        ]
        raise ConfigurationError("The settings are not valid:\n  " + "\n  ".join(faults)) from None
