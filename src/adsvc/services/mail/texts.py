"""Subjects and beginnings of mails that administrators have written in place of the built-in."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from adsvc.enums import AccountMail, NotificationType
from adsvc.services.mail.rendering import PLACEHOLDER, Letter

# What all kinds have: the name of the site, and the built-in subject.
COMMON = ("site", "subject")

# By kind, `subject` or `intro`, and language.
OwnTexts = Mapping[str, Mapping[str, Mapping[str, str]]]


class MailKind(NamedTuple):
    """`sample` are values of the letter's template, as a test mail has them; `names` are those
    that texts may have as placeholders.
    """

    letter: Letter
    names: Sequence[str]
    sample: Mapping[str, Any]


SAMPLE_NOTICE = {
    "title": "Oak table", "ad": 1, "conversation": 1, "texts": ["Is it still there?"],
    "price_from": "2", "price_to": "1",
}  # fmt: skip
LINK = {"token": "sample", "hours": 24}

KINDS: Mapping[str, MailKind] = {
    **{
        kind: MailKind(Letter.NOTICE, ("title",), {**SAMPLE_NOTICE, "type": kind})
        for kind in NotificationType
    },
    NotificationType.PRICE_DROPPED: MailKind(
        Letter.NOTICE,
        ("title", "price_from", "price_to"),
        {**SAMPLE_NOTICE, "type": NotificationType.PRICE_DROPPED},
    ),
    NotificationType.SEARCH_MATCHED: MailKind(
        Letter.SEARCH_MATCHED,
        ("name", "count"),
        {"name": "Oak tables", "search": 1, "count": 2, "ads": []},
    ),
    NotificationType.DECISION: MailKind(
        Letter.DECISION,
        ("excerpt",),
        {
            "action": "suspendAd", "excerpt": "Oak table", "explanation": "…", "ground": "terms",
            "reference": "", "is_undone": False, "is_final": False, "until": None,
        },
    ),
    AccountMail.VERIFY: MailKind(Letter.VERIFY_ADDRESS, ("hours",), LINK),
    AccountMail.RESET: MailKind(
        Letter.RESET_PASSWORD, ("username", "hours"), {**LINK, "username": "anna"}
    ),
    AccountMail.LOGIN: MailKind(
        Letter.SIGN_IN_NEW,
        ("at", "device", "network"),
        {**LINK, "at": "2026-11-23 18:05 UTC", "device": "Firefox", "network": "203.0.113.0/24"},
    ),
}  # fmt: skip
_OF_LETTERS: Mapping[str, str] = {
    kind.letter: name for name, kind in KINDS.items() if kind.letter is not Letter.NOTICE
}


def fault_of(text: str, kind: str) -> str | None:
    """What is wrong with its placeholders."""
    known = (*COMMON, *KINDS[kind].names)
    if all(found[1] in known for found in PLACEHOLDER.finditer(text)):
        return None
    names = ", ".join(f"{{{name}}}" for name in known)
    return f"braces must be around a placeholder of this mail: {names}"


def own_of(
    written: OwnTexts, letter: str, values: Mapping[str, object], language: str
) -> tuple[str, str]:
    """The subject and the first paragraph in that language; empty where none is written."""
    kind = str(values["type"]) if letter == Letter.NOTICE else _OF_LETTERS.get(letter, "")
    texts = written.get(kind, {})
    subject, intro = (
        {tag.partition("-")[0]: text for tag, text in texts.get(part, {}).items()}.get(language, "")
        for part in ("subject", "intro")
    )
    return subject, intro
