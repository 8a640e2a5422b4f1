"""Settings of background work: regular jobs, webhooks and mail."""

import re
from dataclasses import dataclass
from email.headerregistry import Address
from typing import Annotated
from urllib.parse import parse_qsl, unquote, urlsplit

from email_validator import EmailNotValidError, validate_email
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from adsvc.limits import Count
from adsvc.settings.groups import Jobs, MailRequired
from adsvc.settings.validators import networks

SUBMISSION_PORT, SUBMISSIONS_PORT = 587, 465

# A name and an address; a name that would need quotes is not taken.
SENDER = re.compile(r"([\w !#$%&'*+/=?^`{|}~-]*[\w!#$%&'*+/=?^`{|}~-])\s*<([^<>]+)>")

SMTP_FORM = "must be like smtp://user:password@host:587 or smtps://host:465, perhaps with ?tls=off"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    host: str
    port: int
    user: str | None
    password: str | None
    # From the first byte on, or after STARTTLS.
    tls: bool
    starttls: bool


def smtp_server(text: str) -> SmtpServer:
    """What the address says, or `ValueError`, whose message does not repeat it."""
    try:
        parts = urlsplit(text)
        port = parts.port
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError:
        raise ValueError(SMTP_FORM) from None
    is_plain = options == {"tls": "off"}
    if (
        parts.scheme not in {"smtp", "smtps"}
        or not parts.hostname
        or parts.path not in {"", "/"}
        or parts.fragment
        or (options and not is_plain)
        or (is_plain and parts.scheme == "smtps")
        or (parts.username is None) != (parts.password is None)
    ):
        raise ValueError(SMTP_FORM)
    tls = parts.scheme == "smtps"
    return SmtpServer(
        parts.hostname,
        port or (SUBMISSIONS_PORT if tls else SUBMISSION_PORT),
        None if parts.username is None else unquote(parts.username),
        None if parts.password is None else unquote(parts.password),
        tls=tls,
        starttls=not tls and not is_plain,
    )


def usable_smtp_url(secret: SecretStr) -> SecretStr:
    smtp_server(secret.get_secret_value())
    return secret


def proxy_address(secret: SecretStr) -> SecretStr:
    try:
        parts = urlsplit(secret.get_secret_value())
        is_one = parts.scheme == "http" and parts.hostname and (parts.port or 80)
    except ValueError:
        is_one = False
    if not is_one or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError("must be like http://user:password@host:port")
    return secret


def sender(text: str) -> str:
    sender_address(text)
    return text


def sender_address(text: str) -> Address:
    """With a name or without, or `ValueError`."""
    parts = SENDER.fullmatch(text)
    name, address = ("", text) if parts is None else parts.groups()
    try:
        valid = validate_email(
            address, check_deliverability=False, allow_smtputf8=False, strict=True
        )
    except EmailNotValidError:
        raise ValueError("must be a mail address, as Ads <noreply@ads.example.com>") from None
    return Address(name, addr_spec=valid.ascii_email or valid.normalized)


class JobSettings(BaseModel):
    """Background work.

    Mails, deletion of pictures, expiry of ads, and removal of old records.
    """

    jobs: Jobs = Jobs.ON
    """Whether `adsvc serve` does this work; `off` only where `adsvc worker` runs."""
    outbox_attempts: Count = 20
    """How many times work that follows a change, such as a mail, is attempted before it becomes a
    dead letter. With growing pauses, 20 attempts take about half a day."""
    outbox_days: int = Field(default=30, ge=1, le=36_500)
    """Days for which dead letters are kept for `adsvc outbox`; at most 36500."""


class NotificationSettings(BaseModel):
    """Notifications."""

    notification_days: int = Field(default=90, ge=1, le=36_500)
    """Days for which notifications are kept, read or not; at most 36500."""


class WebhookSettings(BaseModel):
    """Webhooks."""

    webhook_networks: Annotated[tuple[str, ...], NoDecode, BeforeValidator(networks)] = ()
    """Networks that webhooks may lead to although their addresses are not public, separated by
    commas, such as `127.0.0.0/8`. There `http://` is allowed too. Names are resolved by DNS alone,
    except `localhost`, which is `127.0.0.1`."""
    webhook_proxy: Annotated[SecretStr, AfterValidator(proxy_address)] | None = None
    """A proxy for webhooks: `http://user:password@host:port`. It gets `CONNECT` with an address
    that the service has resolved and checked, never a name."""
    webhook_days: int = Field(default=7, ge=1, le=36_500)
    """Days for which a delivery is kept after it was delivered or given up; at most 36500."""


class MailSettings(BaseModel):
    """Mail.

    Without a server, mails are files in `ADSVC_DATA_DIR/mail`.
    """

    smtp_url: Annotated[SecretStr, AfterValidator(usable_smtp_url)] | None = None
    """The SMTP server: `smtp://user:password@host:587`, with STARTTLS, or `smtps://` on port 465.
    Only `?tls=off` switches encryption off. Needs `ADSVC_MAIL_FROM` and
    `ADSVC_SITE_URL`."""
    mail_from: Annotated[str, AfterValidator(sender)] | None = None
    """The sender of mails: `Ads <noreply@ads.example.com>`, or the address alone."""
    mail_required: MailRequired = MailRequired.NEVER
    """What an account without a verified address may not do: `never` nothing, `post` publish ads,
    `contact` also read contacts of others and comment."""
    mail_connections: int = Field(default=8, ge=1, le=100)
    """Mails that each process sends at the same time, each on a connection of its own; at most
    100."""
    mail_seconds: float = Field(default=30, ge=0.1, le=600)
    """Longest time for one attempt to send a mail; at most 600. If the process dies meanwhile,
    another process takes over the mail 5 seconds after that time."""
    mails_per_account: Count = 10
    """Requests of one account that send mail, in one window."""
    mails_per_address: Count = 30
    """Requests from one address in one window. Counted are requests that send mail to an address or
    account named in them, registrations included, and attempts to use tokens from mails. A
    registration beyond the limit sends no mail."""
    mails_per_target: Count = 5
    """Mails to one mailbox, or for one user name, in one window, from all clients together. Beyond
    the limit each account that names the mailbox as its own can request one more mail, but one
    client address at most this number for all accounts. With `5`: after five mails to a mailbox in
    an hour, its owner's account still gets a sixth, and one address can cause five such mails."""
    mail_window_seconds: Count = 60 * 60
    """The window of these limits."""
