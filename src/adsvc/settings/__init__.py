"""What an operator can set, read from `ADSVC_*` variables or a `.env` file and checked at start."""

from adsvc.settings.database_urls import async_database_url
from adsvc.settings.groups import (
    AccessLines,
    AdEditors,
    DatabasePooling,
    FactorRequired,
    Jobs,
    LogFormat,
    MailRequired,
    RateLimits,
    Storefront,
)
from adsvc.settings.model import Settings, load_settings, load_what_is_valid
from adsvc.settings.validators import LOCAL_STORE, S3_SCHEME

__all__ = [
    "LOCAL_STORE",
    "S3_SCHEME",
    "AccessLines",
    "AdEditors",
    "DatabasePooling",
    "FactorRequired",
    "Jobs",
    "LogFormat",
    "MailRequired",
    "RateLimits",
    "Settings",
    "Storefront",
    "async_database_url",
    "load_settings",
    "load_what_is_valid",
]
