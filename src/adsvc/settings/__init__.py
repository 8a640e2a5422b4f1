"""What an operator can set, read from `ADSVC_*` variables or a `.env` file and checked at start."""

from adsvc.kit.settings.groups import AccessLines, DatabasePooling, LogFormat
from adsvc.kit.settings.validators import LOCAL_STORE, S3_SCHEME, async_database_url
from adsvc.settings.groups import (
    AdEditors,
    FactorRequired,
    Jobs,
    MailRequired,
    RateLimits,
    Storefront,
)
from adsvc.settings.model import Settings, TermsVersion, load_settings, load_what_is_valid

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
    "TermsVersion",
    "async_database_url",
    "load_settings",
    "load_what_is_valid",
]
