"""What an operator can set, read from `ADSVC_*` variables or a `.env` file and checked at start."""

import os
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
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
from adsvc.limits import Limits

# HS256 wants a key at least as long as its digest (RFC 7518 §3.2).
SECRET_MIN_BYTES = 32
# A secret with fewer different characters than this is a placeholder, not a secret.
SECRET_MIN_VARIETY = 10


# Never `*`: answers carry what credentials open.
ORIGIN = re.compile(
    r"[a-z][a-z0-9+.-]*://[A-Za-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:.]+\](:[0-9]{1,5})?"
)


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
    if isinstance(value, (tuple, list)) and not all(ORIGIN.fullmatch(str(item)) for item in value):
        raise ValueError("must be origins such as https://example.com, separated by commas")
    return value


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
    port: int = Field(default=8080, ge=0, le=65535)
    workers: int = Field(default=1, ge=1, le=64)
    data_dir: Path = Path("data")
    database_url: Annotated[SecretStr, AfterValidator(_postgres_url)] | None = None
    database_pool_size: PositiveInt = 10
    database_timeout_seconds: PositiveFloat = 3
    jwt_secret: Annotated[SecretStr, AfterValidator(_usable_secret)] | None = None
    # Its words make no password better.
    site_name: str = "adsvc"
    jwt_issuer: str = "adsvc"
    jwt_audience: str = "adsvc"
    access_token_seconds: PositiveInt = 15 * 60
    refresh_token_seconds: PositiveInt = 30 * 24 * 60 * 60
    sessions_per_user: PositiveInt = 50
    http_basic: bool = False
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins)] = (
        "http://localhost:3000",
    )
    ad_editors: AdEditors = AdEditors.AUTHOR
    rate_limits: RateLimits = RateLimits.ON
    login_attempts: PositiveInt = 10
    login_attempts_per_address: PositiveInt = 100
    # How many times as much a wider network may do: the /56 and /48 of IPv6, the /24 of IPv4.
    login_network_factor: PositiveInt = 4
    login_window_seconds: PositiveInt = 5 * 60
    login_attempts_per_account: PositiveInt = 100
    login_account_window_seconds: PositiveInt = 60 * 60
    registrations_per_address: PositiveInt = 100
    registration_window_seconds: PositiveInt = 60 * 60
    writes_per_user: PositiveInt = 600
    write_window_seconds: PositiveInt = 10 * 60
    uploads_per_user: PositiveInt = 200
    upload_window_seconds: PositiveInt = 60 * 60
    ad_reads_per_user: PositiveInt = 300
    ad_read_window_seconds: PositiveInt = 60 * 60
    # Counted by each process for itself.
    searches_per_address: PositiveInt = 120
    search_window_seconds: PositiveInt = 60
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_networks)] = ()
    busy_requests: PositiveInt = 64
    connections: PositiveInt = 8192
    header_timeout_seconds: PositiveFloat = 10
    body_timeout_seconds: PositiveFloat = 30
    send_timeout_seconds: PositiveFloat = 60
    keep_alive_seconds: PositiveInt = 5
    header_max_bytes: PositiveInt = 64 * 1024
    header_max_count: PositiveInt = 100
    password_workers: PositiveInt = Field(default_factory=_half_of_the_cores)
    password_queue: PositiveInt = 32
    # OWASP's least for Argon2id with one lane; tests, which guard nothing, take less.
    password_memory_kib: int = Field(default=19 * 1024, ge=8)
    password_iterations: PositiveInt = 2
    # Processes of a low priority: most of what they take nobody else wants.
    image_workers: PositiveInt = Field(default_factory=lambda: os.cpu_count() or 1)
    image_queue: PositiveInt = 8
    image_max_side: PositiveInt = 2048
    image_seconds: PositiveFloat = 15
    image_memory_bytes: PositiveInt = 1024 * 1024 * 1024
    image_grace_seconds: PositiveInt = 24 * 60 * 60
    uploads_under_way_per_user: PositiveInt = 8
    uploads_under_way_max_bytes: PositiveInt = 256 * 1024 * 1024
    # Of one account's pictures as stored; 0 is none.
    image_quota_bytes: NonNegativeInt = 1024 * 1024 * 1024
    # Unless set: a gibibyte, but no more than a tenth of the disk. 0 is none.
    disk_reserve_bytes: NonNegativeInt | None = None
    # Searches that the database works on at once, for one process, and those that wait.
    search_workers: PositiveInt = Field(default_factory=_searches_at_once)
    search_queue: PositiveInt = 16
    search_words_max: PositiveInt = 12
    search_page_size_max: PositiveInt = 100
    search_language: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")] = "english"
    count_bound: PositiveInt = 10_000
    # 0 switches the memory off.
    answers_max_bytes: NonNegativeInt = 48 * 1024 * 1024
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
        """How many a process may open: twice the pool, and one to listen."""
        return 2 * self.database_pool_size + 1

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
