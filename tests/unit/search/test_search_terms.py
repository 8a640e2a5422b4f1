import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsvc.repositories.ads.search_words import DASHES, Terms, parse


@pytest.mark.parametrize(
    ("text", "alternative", "rest", "prefix"),
    [
        ("", "", "", ""),
        ("   ", "", "   ", ""),
        ("oak", "", "", "oak"),
        ("Oak", "", "", "Oak"),
        ("oak ", "", "oak ", ""),
        ("oak\n", "", "oak\n", ""),
        ("oak tab", "", "oak ", "tab"),
        ("o", "", "o", ""),
        ("oak t", "", "oak t", ""),
        ("ст", "", "", "ст"),
        ("桌子", "", "", "桌子"),
        ("table 12", "", "table ", "12"),
        # What is finished is no beginning.
        ('"oak table"', "", '"oak table"', ""),
        ('"oak tab', "", '"oak tab', ""),
        ('chair "oak tab', "", 'chair "oak tab', ""),
        ("oak -tab", "", "oak -tab", ""),
        ("-oak", "", "-oak", ""),
        ("oak or", "", "oak or", ""),
        ("OR", "", "OR", ""),
        ("tab:*", "", "tab:*", ""),
        ("oak!", "", "oak!", ""),
        # The prefix belongs to what follows the last "or".
        ("oak or tab", "oak", "", "tab"),
        ("oak OR red tab", "oak", "red ", "tab"),
        ("a or b c or d tab", "a or b c", "d ", "tab"),
        ("or tab", "", "", "tab"),
        ("oak or or tab", "oak or", "", "tab"),
        # Of words that are written together the last one counts.
        ("twenty-fo", "", "twenty-", "fo"),
        ("o'nei", "", "o'", "nei"),
        ("and/or/tab", "", "and/or/", "tab"),
        ("(oak", "", "(", "oak"),
        ("a.b:c;def", "", "a.b:c;", "def"),
    ],
)
def test_the_last_word_is_the_beginning_of_one(
    text: str, alternative: str, rest: str, prefix: str
) -> None:
    found = parse(text)
    assert (found.alternative.strip(), found.prefix) == (alternative, prefix)
    assert found.rest.replace(" ", "") == rest.replace(" ", "")


@pytest.mark.heavy
@given(text=st.text(max_size=60) | st.text(alphabet='ab "-orOR.,\\/(\t', max_size=40))
def test_any_text_is_a_query(text: str) -> None:
    found = parse(text)
    if not found.prefix:
        assert found == Terms("", DASHES.sub(" ", text), "")
        return
    assert len(found.prefix) >= 2
    assert text.endswith(found.prefix)
    # PostgreSQL reads a prefix as it stands: it must not say anything but letters and digits.
    assert all(character.isalnum() or character == "_" for character in found.prefix)
