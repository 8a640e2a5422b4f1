"""Makes a mail of a letter: its text, the same in HTML, and the headers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.charset import QP, Charset
from email.header import Header
from email.headerregistry import Address
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime, formataddr
from functools import cache
from importlib.resources import files
from uuid import UUID

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

TEMPLATES = files("adsvc.services.mail") / "templates"

# Of the two ways that Python has to write a message this one takes a third of the time.
POLICY = compat32.clone(linesep="\r\n")

# Every byte is ASCII, so that no server has to be asked what it can take.
UTF8 = Charset("utf-8")
UTF8.body_encoding = QP


@dataclass(frozen=True, slots=True)
class Post:
    """What all mails of a site have in common."""

    site_name: str
    # What links begin with.
    base: str
    sender: Address


@dataclass(frozen=True, slots=True)
class Envelope:
    """Of one mail. `recipient` is an address in ASCII, `number` that of its entry."""

    recipient: str
    number: int
    message_id: UUID
    at: datetime
    language: str


@dataclass(frozen=True, slots=True)
class Mail:
    recipient: str
    content: bytes
    # Names the mail in a directory; the same at every attempt, and in the order of time.
    name: str


def _source(name: str) -> str | None:
    """`de/letter.html` and `de/letter.txt` are one file, which is escaped or not by that name."""
    for path in (f"{name}.jinja", f"{name.rpartition('.')[0]}.jinja"):
        file = TEMPLATES / path
        if file.is_file():
            return file.read_text("utf-8")
    return None


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_source),
        autoescape=select_autoescape(("html",), default=False, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(letter: str, values: Mapping[str, object], post: Post, envelope: Envelope) -> Mail:
    """`values` are what the letter's template asks for; one that is missing is an error."""
    known = {**values, "site": post.site_name, "base": post.base, "language": envelope.language}
    subject, text = _body(letter, "txt", known)
    _, markup = _body(letter, "html", known)
    message = MIMEMultipart("alternative", policy=POLICY)
    # Neither a name of the site nor a title can begin a header of its own.
    # The types that Python publishes for these classes know of texts only.
    title = Header(" ".join(subject.split()), "utf-8")
    message["Subject"] = title  # type: ignore[assignment]
    message["From"] = formataddr((post.sender.display_name, post.sender.addr_spec))
    message["To"] = envelope.recipient
    message["Date"] = format_datetime(envelope.at)
    message["Message-ID"] = f"<{envelope.message_id}@{post.sender.domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message["Content-Language"] = envelope.language
    for part, kind in ((text, "plain"), (markup, "html")):
        message.attach(MIMEText(part, kind, UTF8, policy=POLICY))  # type: ignore[arg-type]
    name = f"{envelope.at:%Y%m%dT%H%M%S}-{envelope.number:010}"
    return Mail(envelope.recipient, message.as_bytes(), name)


def _body(letter: str, form: str, values: Mapping[str, object]) -> tuple[str, str]:
    """The subject, and the whole text."""
    environment, language = _environment(), values["language"]
    parts = environment.get_template(f"{language}/{letter}.{form}").make_module(dict(values))
    whole = environment.get_template(f"layout.{form}").render({**values, "letter": parts})
    return str(vars(parts)["subject"]), whole
