from pathlib import Path
from typing import Any, Self

from pydantic import SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy.engine import URL

from adsvc.addresses import both_ways
from adsvc.errors import ConfigurationError
from adsvc.limits import Limits
from adsvc.settings.capacity import ImageSettings, SearchSettings, TransportSettings
from adsvc.settings.groups import (
    AccessSettings,
    AdSettings,
    DatabaseSettings,
    RateLimitSettings,
    ServerSettings,
    SiteSettings,
)
from adsvc.settings.validators import SECRET_MIN_BYTES, async_database_url


# Pydantic takes fields from the last base first. In that order faults are reported.
class Settings(
    BaseSettings,
    SearchSettings,
    ImageSettings,
    TransportSettings,
    RateLimitSettings,
    AdSettings,
    AccessSettings,
    DatabaseSettings,
    ServerSettings,
    SiteSettings,
    Limits,
):
    """Every field is the variable `ADSVC_` and its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="ADSVC_",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    @model_validator(mode="after")
    def _ranges_are_not_empty(self) -> Self:
        for lower, upper in (
            ("username_min_length", "username_max_length"),
            ("password_min_length", "password_max_length"),
            ("phone_min_length", "phone_max_length"),
            ("phone_min_digits", "phone_max_digits"),
            ("title_min_length", "title_max_length"),
            ("description_min_length", "description_max_length"),
            ("place_min_length", "place_max_length"),
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
        """The trusted proxies, with each address in all its notations."""
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

    Overrides take precedence over the environment; those that are None are ignored.
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
