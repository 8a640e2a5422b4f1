"""Makes a mail from a letter: its text, the same in HTML, and the headers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.charset import QP, Charset
from email.header import Header
from email.headerregistry import Address
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime, formataddr
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from uuid import UUID

from pydantic import JsonValue

from adsvc.repositories.outbox import NewEntry

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.environment import TemplateModule
from adsvc.kit.mail import Mail
from adsvc.settings.colours import OWN_ACCENT, Palette, palettes

# The languages of the templates.
LANGUAGES = ("en", "de", "ru")

# Browsers send shorter headers.
ACCEPTED_MAX_LENGTH = 500

ITEM = re.compile(
    r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?"
)


def spoken(accepted: str) -> list[str]:
    """The languages that `Accept-Language` has (RFC 9110 §12.5.4), the preferred ones first."""
    items = (ITEM.fullmatch(item) for item in accepted[:ACCEPTED_MAX_LENGTH].split(","))
    weighed = [(float(item[2] or 1), item[1].lower()) for item in items if item is not None]
    ordered = sorted(weighed, key=lambda item: -item[0])
    return list(dict.fromkeys(language for weight, language in ordered if weight > 0))


def preferred(accepted: str, further: Sequence[str] = ()) -> str | None:
    """The language that `Accept-Language` prefers, of those with templates and of further ones."""
    known = (*LANGUAGES, *further)
    return next((language for language in spoken(accepted) if language in known), None)


def language_for(wanted: str | None, site: Sequence[str], further: Sequence[str] = ()) -> str:
    """The one that an account wants, or the first one, of the site's languages with templates.

    `further` are those of the operator, whose mails have English templates.
    """
    languages = [tag.partition("-")[0] for tag in site]
    texts = (*LANGUAGES, *further)
    known = [language for language in languages if language in texts] or LANGUAGES[:1]
    return wanted if wanted is not None and wanted in known else known[0]


def _written_in(language: str) -> str:
    """The language of the templates."""
    return language if language in LANGUAGES else LANGUAGES[0]


# Kinds of entries: a letter to an account; one to an address that is not verified, with the token
# that verifies it; and a new password that was requested for a user name.
LETTER, VERIFICATION, RECOVERY = "letter", "verification", "recovery"
# A login from a new place, with the token that reports it.
SIGN_IN = "sign-in"
# With the token that confirms a way to sign in.
LINKING = "linking"


class Letter(StrEnum):
    """Letters. Each has a template of its name in every language; see `templates`."""

    VERIFY_ADDRESS = "verify-address"
    VERIFY_BEFORE_RESET = "verify-before-reset"
    RESET_PASSWORD = "reset-password"  # noqa: S105 - a letter, not a password
    PASSWORD_CHANGED = "password-changed"  # noqa: S105
    KEY_CREATED = "key-created"
    # A factor of signing in was set, removed or used up.
    SIGN_IN_CHANGED = "sign-in-changed"
    # Codes are guessed after the right password.
    SIGN_IN_GUESSED = "sign-in-guessed"
    # A login from a network or a device that is new.
    SIGN_IN_NEW = "sign-in-new"
    # With the link that lets an OpenID provider's person use the account.
    SIGN_IN_LINK = "sign-in-link"
    ADDRESS_REQUESTED = "address-asked"
    ADDRESS_CHANGED = "address-changed"
    # Its receiver has failed for days, or is gone.
    WEBHOOK_DISABLED = "webhook-disabled"
    # Hidden because of many reports; there is no decision yet.
    AD_HIDDEN = "ad-hidden"
    # AD_SHOWN follows AD_HIDDEN if the reports are dismissed.
    AD_SHOWN = "ad-shown"
    DECISION = "decision"
    # Against a suspension that an administrator decided without a case, to that administrator.
    SUSPENSION_APPEALED = "suspension-appealed"
    # Of a notification, whose type is one of its values.
    NOTICE = "notice"
    # New ads match a saved search; and the question whether its alerts are still wanted.
    SEARCH_MATCHED = "search-matched"
    SEARCH_FORGOTTEN = "search-forgotten"
    # Many notices in one.
    DIGEST = "digest"


def to_account(letter: Letter, user_id: int, **values: JsonValue) -> NewEntry:
    """A letter for the account's verified address. Without one, it is not sent.

    `values` are those of the template. The letter is in the account's language.
    """
    return NewEntry(LETTER, {"letter": letter, "user_id": user_id, "values": values})


def to_former_address(letter: Letter, user_id: int, address: str) -> NewEntry:
    """A letter for an address that was verified, even if it no longer is when it is sent."""
    return NewEntry(
        LETTER, {"letter": letter, "user_id": user_id, "address": address, "values": {}}
    )


def verification(user_id: int, address: str, language: str | None) -> NewEntry:
    """A letter with the link that verifies the address. It has no text of the account's."""
    return NewEntry(VERIFICATION, {"user_id": user_id, "address": address, "language": language})


def recovery(username: str, language: str | None) -> NewEntry:
    """For any user name: the worker looks up whether there is such an account."""
    return NewEntry(RECOVERY, {"username": username, "language": language})


def linking(user_id: int, address: str, language: str | None, provider: str) -> NewEntry:
    """A letter with the link that lets a person of that provider use the account."""
    recipient: dict[str, JsonValue] = {"user_id": user_id, "address": address}
    return NewEntry(LINKING, {**recipient, "language": language, "provider": provider})


def new_sign_in(user_id: int, network: str, device: str) -> NewEntry:
    return NewEntry(SIGN_IN, {"user_id": user_id, "network": network, "device": device})


TEMPLATES = files("adsvc.services.mail") / "templates"

# Python has two ways to write a message. This one takes a third of the time.
POLICY = compat32.clone(linesep="\r\n")

# Every byte is ASCII, so that every server accepts it.
UTF8 = Charset("utf-8")
UTF8.body_encoding = QP


@dataclass(frozen=True, slots=True)
class Post:
    """What all mails of a site share."""

    site_name: str
    # The beginning of links.
    base: str
    sender: Address
    # The path of the icon, if the site has one of its own.
    icon: str | None = None
    accent: Palette = palettes(OWN_ACCENT)[0]


@dataclass(frozen=True, slots=True)
class Envelope:
    """The envelope of one mail. `recipient` is an address in ASCII, `number` that of its entry."""

    recipient: str
    number: int
    message_id: UUID
    at: datetime
    language: str
    # The address that ends mails of this kind, for those that are not about the account itself.
    unsubscribe: str | None = None


def _source(name: str) -> str | None:
    """`de/letter.html` and `de/letter.txt` are one file; the suffix decides on escaping."""
    for path in (f"{name}.jinja", f"{name.rpartition('.')[0]}.jinja"):
        file = TEMPLATES / path
        if file.is_file():
            return file.read_text("utf-8")
    return None


@cache
def _environment() -> "Environment":
    # Takes memory, and processes that send no mail do not need it.
    from jinja2 import (  # noqa: PLC0415
        Environment,
        FunctionLoader,
        StrictUndefined,
        select_autoescape,
    )

    return Environment(
        loader=FunctionLoader(_source),
        autoescape=select_autoescape(("html",), default=False, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


# Of the whole text only what is in braces is replaced.
PLACEHOLDER = re.compile(r"\{(\w*)\}|[{}]")


def _filled(text: str, values: Mapping[str, object]) -> str:
    """With the values of its placeholders, which are not read for others. It is plain text."""
    return PLACEHOLDER.sub(lambda found: str(values.get(found[1]) or ""), text)


def render(
    letter: str,
    values: Mapping[str, object],
    post: Post,
    envelope: Envelope,
    own: tuple[str, str] = ("", ""),
) -> Mail:
    """`values` are those of the letter's template; a missing one is an error.

    `own` are a subject and a first paragraph in place of the built-in, where they are not empty.
    """
    language = _written_in(envelope.language)
    known = {**values, "site": post.site_name, "base": post.base, "language": language}
    known |= {"unsubscribe": envelope.unsubscribe, "icon": post.icon, "accent": post.accent}
    parts = _parts(letter, "txt", known)
    known["subject"] = _line(vars(parts)["subject"])
    subject, known["intro"] = (_filled(each, known) for each in own)
    known["subject"] = subject = _line(subject) or str(known["subject"])
    text = _whole(parts, "txt", known)
    markup = _whole(_parts(letter, "html", known), "html", known)
    message = MIMEMultipart("alternative", policy=POLICY)
    # Neither a name of the site nor a title can begin a header of its own.
    # The types that Python publishes for these classes know of texts only.
    title = Header(subject, "utf-8")
    message["Subject"] = title  # type: ignore[assignment]
    message["From"] = formataddr((post.sender.display_name, post.sender.addr_spec))
    message["To"] = envelope.recipient
    message["Date"] = format_datetime(envelope.at)
    message["Message-ID"] = f"<{envelope.message_id}@{post.sender.domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message["Content-Language"] = language
    if envelope.unsubscribe is not None:
        # RFC 2369, and by one click RFC 8058.
        message["List-Unsubscribe"] = f"<{envelope.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    for part, kind in ((text, "plain"), (markup, "html")):
        message.attach(MIMEText(part, kind, UTF8, policy=POLICY))  # type: ignore[arg-type]
    name = f"{envelope.at:%Y%m%dT%H%M%S}-{envelope.number:010}"
    return Mail(envelope.recipient, message.as_bytes(), name)


def subject_of(letter: str, language: str, values: Mapping[str, object]) -> str:
    """In plain text, for a notification that is no mail."""
    language = _written_in(language)
    template = _environment().get_template(f"{language}/{letter}.txt")
    subject = vars(template.make_module({**values, "language": language}))["subject"]
    return _line(subject)


def _line(text: object) -> str:
    return " ".join(str(text).split())


def _parts(letter: str, form: str, values: Mapping[str, object]) -> "TemplateModule":
    template = _environment().get_template(f"{values['language']}/{letter}.{form}")
    return template.make_module(dict(values))


def _whole(parts: "TemplateModule", form: str, values: Mapping[str, object]) -> str:
    return _environment().get_template(f"layout.{form}").render({**values, "letter": parts})
