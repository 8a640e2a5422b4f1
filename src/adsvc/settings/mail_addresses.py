"""The addresses that mail needs: of the server, and of the sender."""

import re
from dataclasses import dataclass
from email.headerregistry import Address
from urllib.parse import parse_qsl, unquote, urlsplit

from email_validator import EmailNotValidError, validate_email
from pydantic import SecretStr

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
