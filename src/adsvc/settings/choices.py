"""Settings that are one of a few words."""

from enum import StrEnum


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


class Storefront(StrEnum):
    """`on` where its built files are there; otherwise `/` is a small page."""

    ON = "on"
    OFF = "off"
