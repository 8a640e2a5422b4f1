"""Every letter exists in every language, and has all its values."""

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from uuid import UUID

import pytest
from jinja2 import UndefinedError

from adsvc.enums import NotificationType
from adsvc.services.mail.rendering import (
    LANGUAGES,
    Envelope,
    Letter,
    Post,
    language_for,
    preferred,
    render,
)
from support.mail.server import parsed, text_of

POST = Post("Ads & <b>", "https://ads.example.com", Address("Ads", "noreply", "ads.example.com"))
LINKED = {"token": "T0ken", "hours": 24}
VALUES: dict[Letter, dict[str, object]] = {
    Letter.SUSPENSION_APPEALED: {"appeal": "It was not me.", "account": 7},
    Letter.VERIFY_ADDRESS: LINKED,
    Letter.VERIFY_BEFORE_RESET: LINKED,
    Letter.RESET_PASSWORD: {**LINKED, "username": "<i>anna"},
    Letter.WEBHOOK_DISABLED: {
        "webhook": 3, "host": "shop.example.com", "url": "https://shop.example.com/", "gone": False,
    },
    Letter.NOTICE: {
        "type": "priceDropped", "title": "<i>Oak</i> table\r\nBcc: evil@example.com", "ad": 7,
        "conversation": 8, "texts": ["<i>Hello", "Still there?"], "price_from": "1500 EUR",
        "price_to": "1200 EUR",
    },
    Letter.SEARCH_MATCHED: {
        "name": "<i>Oak\r\nBcc: evil@example.com", "search": 7, "count": 23,
        "ads": [
            {
                "id": 9, "title": "<i>Oak</i> table", "price": 5, "price_type": kind,
                "place": "<i>Berlin", "image": "0f8fad.jpg",
            }
            for kind in ("fixed", "free", "onRequest")
        ],
    },
    Letter.SEARCH_FORGOTTEN: {"name": "<i>Oak\r\nBcc: evil@example.com", "search": 7, "days": 180},
    Letter.DIGEST: {
        "count": 3, "lines": [("“<i>Oak</i> table” is sold", "https://ads.example.com/a/7")],
    },
    Letter.SIGN_IN_NEW: {
        **LINKED, "at": "2026-11-23 18:05 UTC", "network": "203.0.113.0/24", "device": "<i>Import",
    },
    Letter.SIGN_IN_LINK: {**LINKED, "provider": "<i>ID"},
    Letter.KEY_CREATED: {"name": "<i>Import"},
    Letter.SIGN_IN_CHANGED: {"change": "recovery_code_used", "left": 9},
    Letter.AD_HIDDEN: {"excerpt": "<i>Oak</i> table\r\nBcc: evil@example.com"},
    Letter.AD_SHOWN: {"excerpt": "<i>Oak</i> table\r\nBcc: evil@example.com"},
}  # fmt: skip


def envelope(language: str) -> Envelope:
    at = datetime(2026, 11, 22, tzinfo=UTC)
    return Envelope("anna@example.com", 7, UUID(int=7), at, language)


# Those of decisions are tested with them.
LETTERS = [letter for letter in Letter if letter is not Letter.DECISION]


@pytest.mark.parametrize("letter", LETTERS)
def test_a_letter_is_written_in_each_language(letter: Letter) -> None:
    subjects = set()
    for language in LANGUAGES:
        values = VALUES.get(letter, {})
        message = parsed(render(letter, values, POST, envelope(language)).content)
        subjects.add(message["Subject"])
        assert message["Content-Language"] == language
        assert message["Bcc"] is None
        part = message.get_body(("html",))
        assert part is not None
        html, text = part.get_content(), text_of(message)
        assert f'<html lang="{language}">' in html
        assert "Ads & <b>" in text
        assert "Ads &amp; &lt;b&gt;" in html
        assert "<b>" not in html
        assert "<i>" not in html
        assert ("#token=T0ken" in text) is ("#token=T0ken" in html) is ("token" in values)
    assert len(subjects) == len(LANGUAGES)


@pytest.mark.parametrize(
    "kind", [kind for kind in NotificationType if kind is not NotificationType.SEARCH_MATCHED]
)
def test_a_notice_says_what_its_kind_is_about(kind: NotificationType) -> None:
    """Who sells something, or whose ad was decided about, does not keep it as a favorite."""
    keeps = {"en": "favorite", "de": "gemerkt", "ru": "избранном"}
    is_kept = kind not in {
        NotificationType.MESSAGE, NotificationType.OFFER, NotificationType.DECISION,
        NotificationType.COMMENT, NotificationType.AD_ENDING, NotificationType.AD_ENDED,
        NotificationType.RATING, NotificationType.RATING_REMINDER,
    }  # fmt: skip
    for language in LANGUAGES:
        values = {**VALUES[Letter.NOTICE], "type": kind}
        text = text_of(parsed(render(Letter.NOTICE, values, POST, envelope(language)).content))
        assert (keeps[language] in text) is is_kept
        assert ("/account/decisions" in text) is (kind is NotificationType.DECISION)


def test_texts_of_people_have_their_own_direction_and_break() -> None:
    message = "\u0643\u062a\u0627\u0628 " + "W" * 200
    values = {**VALUES[Letter.NOTICE], "type": NotificationType.MESSAGE, "texts": [message]}
    mail = parsed(render(Letter.NOTICE, values, POST, envelope("en")).content)
    part = mail.get_body(("html",))
    assert part is not None
    [style] = re.findall(f'<p dir="auto" style="([^"]*)">\u201c{message}', part.get_content())
    assert "overflow-wrap:anywhere" in style


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render(Letter.VERIFY_ADDRESS, {}, POST, envelope("en"))


def test_a_site_whose_name_has_lines_begins_no_header() -> None:
    post = Post("Ads\r\nBcc: evil@example.com", POST.base, POST.sender)
    message = parsed(render(Letter.ADDRESS_CHANGED, {}, post, envelope("en")).content)
    assert message["Bcc"] is None
    assert "Bcc: evil@example.com" in message["Subject"]


def test_the_language_is_what_is_liked_best_of_those_there_are() -> None:
    for accepted, language in (
        ("", None),
        ("fr", None),
        ("*", None),
        ("de", "de"),
        ("DE-at;q=0.5, ru;q=0.7, fr", "ru"),
        ("en;q=0, de;q=0.1", "de"),
        ("de;q=high, ru", "ru"),
        ("x" * 10_000, None),
    ):
        assert preferred(accepted) == language, accepted
    assert language_for(None, ("fr", "de-AT")) == "de"
    assert language_for("ru", ("fr", "de-AT")) == "de"
    assert language_for("ru", ("en", "ru")) == "ru"
    assert language_for("ru", ("fr",)) == "en"
    # Of the operator, with English templates.
    assert language_for("fr", ("de", "fr"), ("fr",)) == "fr"
    assert preferred("fr-CH, de", ("fr",)) == "fr"
