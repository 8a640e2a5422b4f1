"""Settings that are one of a few words."""

from enum import StrEnum


class AdEditors(StrEnum):
    """Who may change an ad; deletion is always for the author and administrators."""

    AUTHOR = "author"
    AUTHENTICATED = "authenticated"


class DatabasePooling(StrEnum):
    """For how long the pooler at `ADSVC_DATABASE_URL`, if any, lends a connection."""

    SESSION = "session"
    TRANSACTION = "transaction"


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


class Jobs(StrEnum):
    """Whether `adsvc serve` does the work beside requests, or leaves it to `adsvc worker`."""

    ON = "on"
    OFF = "off"


class MailRequired(StrEnum):
    """What needs a verified mail address; each includes those before it."""

    NEVER = "never"
    POST = "post"
    CONTACT = "contact"
