"""What an operator can set, read from `ADSVC_*` variables or a `.env` file and checked at start."""

from adsvc.settings.choices import AdEditors, LogFormat, RateLimits, Storefront
from adsvc.settings.model import Settings, load_settings
from adsvc.settings.validators import async_database_url

__all__ = [
    "AdEditors",
    "LogFormat",
    "RateLimits",
    "Settings",
    "Storefront",
    "async_database_url",
    "load_settings",
]
