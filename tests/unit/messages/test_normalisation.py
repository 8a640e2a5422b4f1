"""The one form of text, for any text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsvc.kit.normalisation import (
    INVISIBLE,
    MOST_MARKS,
    as_line,
    as_nfc,
    as_paragraphs,
    opaque,
    trimmed,
)

# Letters that compose, joiners, variation selectors, flags, marks of many classes, and spaces.
ODD = (
    "aA1#\xa9\xc5 \t\n\r\x00\x1b\x85\xa0\xad\u0301\u0308\u0315\u0316\u0344\u034f\u0590\u05d0\u061c"
    "\u0915\u094d\u0f71\u0f73\u0f75\u0f81\u1100\u1161\u11a8\u180b\u180e\u1ebf\u200b\u200c\u200d"
    "\u200e\u202e\u2028\u212b\u2764\u2800\u3000\u3164\ufb2c\ufe0f\ufeff\U0001d15e\U0001f3f4"
    "\U0001f525\U000e0067\U000e007f\U000e0100"
)
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])))


@given(TEXTS)
@pytest.mark.heavy
def test_the_form_of_a_form_is_itself(text: str) -> None:
    for form in (as_line, as_paragraphs, as_nfc, opaque, trimmed):
        once = form(text)
        assert form(once) == once


@given(TEXTS)
@pytest.mark.heavy
def test_a_form_is_composed_trimmed_and_visible(text: str) -> None:
    for form in (as_line, as_paragraphs):
        found = form(text)
        assert unicodedata.is_normalized("NFC", found)
        assert found == found.strip()
        # Tags are a part of flags.
        assert not INVISIBLE.search(found) or "\U0001f3f4" in found
    assert not any(
        unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in as_line(text)
    )


@given(st.text(st.sampled_from("\u0300\u0315\u0316\u0344\u0f73"), min_size=200, max_size=400))
@pytest.mark.heavy
def test_a_letter_has_few_marks(marks: str) -> None:
    assert MOST_MARKS <= len(as_line(f"\u6728{marks}\u6728")) - 2 <= MOST_MARKS + 1


def test_text_in_ascii_stays_as_it_is() -> None:
    assert as_line("Oak table, 180 x 90 cm") == "Oak table, 180 x 90 cm"
    assert as_paragraphs("One\n\n\tTwo") == "One\n\n\tTwo"
