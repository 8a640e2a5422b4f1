"""Which limits there are, by the settings."""

from dataclasses import dataclass

from adsvc.settings import Settings


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `limit` attempts in `window` seconds, replenished evenly."""

    name: str
    limit: int
    window: int


def login_by_account(settings: Settings) -> Policy:
    """At one account, from one address."""
    return Policy("login", settings.login_attempts, settings.login_window_seconds)


def login_in_all(settings: Settings) -> Policy:
    """At one account, from one address, also those that succeed."""
    return Policy("login-in-all", settings.login_attempts_in_all, settings.login_window_seconds)


def login_by_address(settings: Settings) -> Policy:
    """At all accounts, from one address."""
    return Policy(
        "login-address", settings.login_attempts_per_address, settings.login_window_seconds
    )


def login_from_everywhere(settings: Settings) -> Policy:
    """At one account, from all addresses together."""
    return Policy(
        "login-account",
        settings.login_attempts_per_account,
        settings.login_account_window_seconds,
    )


def login_by_session(settings: Settings) -> Policy:
    """At one account, with a token of that session."""
    return Policy("login-session", settings.login_attempts, settings.login_window_seconds)


def registration(settings: Settings) -> Policy:
    return Policy(
        "register", settings.registrations_per_address, settings.registration_window_seconds
    )


def mails_of_account(settings: Settings) -> Policy:
    """Requests of one account that send mail."""
    return Policy("mail", settings.mails_per_account, settings.mail_window_seconds)


def mails_from_address(settings: Settings) -> Policy:
    """Requests from one address that send mail, and tokens from mails that it tries."""
    return Policy("mail-address", settings.mails_per_address, settings.mail_window_seconds)


def mails_to_target(settings: Settings) -> Policy:
    """Mails to one mailbox, or for one user name; to one mailbox also from one address."""
    return Policy("mail-target", settings.mails_per_target, settings.mail_window_seconds)


def mails_to_own_address(settings: Settings) -> Policy:
    """Mails of one account to one mailbox for which the mailbox itself has no room left."""
    return Policy("mail-own", 1, settings.mail_window_seconds)


def writes(settings: Settings) -> Policy:
    return Policy("write", settings.writes_per_user, settings.write_window_seconds)


def uploads(settings: Settings) -> Policy:
    return Policy("upload", settings.uploads_per_user, settings.upload_window_seconds)


def ad_reads(settings: Settings) -> Policy:
    """Different ads read by one account."""
    return Policy("read", settings.ad_reads_per_user, settings.ad_read_window_seconds)


def reports(settings: Settings) -> Policy:
    return Policy("report", settings.reports_per_user, settings.report_window_seconds)


def exports(settings: Settings) -> Policy:
    return Policy("export", settings.exports_per_user, settings.export_window_seconds)
