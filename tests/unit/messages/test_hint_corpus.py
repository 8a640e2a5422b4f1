"""How many texts get hints, of fraud and of ordinary ones."""

import pytest

from adsvc.services.hints import hints_of
from support.scene.message_texts import ENGLISH, GERMAN, RUSSIAN, SCAM, ordinary


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
