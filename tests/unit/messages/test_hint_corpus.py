"""How many texts get hints, of fraud and of ordinary ones."""

import pytest

from adsvc.services.scam_hints import hints_of
from support.scene.message_texts import (
    ENGLISH,
    GERMAN,
    OTHER_ORDINARY,
    OTHER_SCAM,
    RUSSIAN,
    SCAM,
    ordinary,
)


def test_most_texts_of_fraud_get_a_hint() -> None:
    assert len(set(SCAM)) == 200
    missed = [text for text in SCAM if not hints_of(text)]
    assert len(missed) <= 20, missed


@pytest.mark.heavy
def test_few_ordinary_texts_get_a_hint() -> None:
    texts = ordinary(2000)
    assert len(set(texts)) == 2000
    assert min(len(sentences) for _, sentences, _ in (ENGLISH, GERMAN, RUSSIAN)) >= 45
    hinted = [(text, hints_of(text)) for text in texts if hints_of(text)]
    assert len(hinted) <= 40, hinted


def test_further_texts_are_told_apart_too() -> None:
    assert (len(set(OTHER_SCAM)), len(set(OTHER_ORDINARY))) == (45, 150)
    missed = [text for text in OTHER_SCAM if not hints_of(text)]
    assert len(missed) <= 4, missed
    hinted = [(text, hints_of(text)) for text in OTHER_ORDINARY if hints_of(text)]
    assert len(hinted) <= 3, hinted


@pytest.mark.parametrize(
    "text",
    [
        "Let us meet at noon. Thanks!", "I am at work. Is it OK tomorrow?",
        "My neighbour lives at no. 14. Is it there?", "Kann ich mit EC-Karte zahlen?",
        "Какой залог за квартиру?", "Есть комиссия?", "What is the deposit?",
        "I'll pay when I collect before noon.", "Sind die Klickpedale auf dem Foto dabei?",
        "It is fine.at what time?", "Is the discord headset still there?",
    ],
)  # fmt: skip
def test_words_that_frauds_use_too_are_no_hint_alone(text: str) -> None:
    assert hints_of(text) == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("anna.smith at gmail.com", "mail"), ("anna at example dot com", "mail"),
        ("anna (at) example . com", "mail"), ("pay-safe.at is the page", "link"),
        ("Bitte Ihre Bankdaten senden, dann überweise ich", "prepayment"),
        ("Пришлите цифры из сообщения", "prepayment"),
        ("AT611904300234573201 bitte", "iban"), ("BE68 5390 0754 7034 bank", "iban"),
        ("GB29 NWBK 6016 1331 9268 19 now", "iban"),
    ],
)  # fmt: skip
def test_what_is_hidden_or_asked_for_is_a_hint(text: str, hint: str) -> None:
    assert hint in hints_of(text)
