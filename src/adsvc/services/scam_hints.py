"""Hints: what a reader of a message should be careful with.

They are warnings and block nothing, so the rules are simple: `hints.toml` has most of them.
"""

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from adsvc.enums import Hint

# Where numbers without a country code may be from.
REGIONS = ("DE", "GB", "US", "RU")
# The most candidates for a phone number that are tried in a text.
MOST_TRIES = 10

# Characters that are not seen, between the letters of a word.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)

# NFKC makes 18 and 8 letters of each: a message of them would be as long as a book.
LONG_LIGATURES = str.maketrans("\ufdfa\ufdfb", "  ")

# Also as words, in brackets or between spaces, as people hide addresses from programs.
AT = r"\s?(?:@|[(\[{<*_]\s?(?:at|ät|собака)\s?[)\]}>*_])\s?"
AT_WORD = r"\s(?:at|ät|собака)\s"
DOT_WORD = r"(?:\s?[(\[{<*_]\s?(?:dot|punkt|точка)\s?[)\]}>*_]|\s(?:dot|punkt|точка)(?=\s))\s?"
DOT = rf"(?:\s?\.\s?|{DOT_WORD})"
DOMAINS = r"(?:com|net|org|info|de|at|ch|eu|ru|su|ua|by|kz|uk|us)(?!\w)"
ADDRESS = re.compile(
    rf"(?<![\w.+-])[\w.+-]{{2,64}}(?:"
    rf"{AT}[\w-]{{1,63}}(?:{DOT}[\w-]{{1,63}}){{0,4}}{DOT}[^\W\d_]{{2}}"
    # "At" is an ordinary word, and a full stop may follow a few words later.
    rf"|{AT_WORD}[\w-]{{1,63}}(?:(?:\.|{DOT_WORD})[\w-]{{1,63}}){{0,4}}"
    rf"(?:{DOT_WORD}[^\W\d_]{{2}}|\.{DOMAINS}))"
)
# A name in a messenger.
HANDLE = re.compile(r"(?<![\w.])@[a-z]\w{4,31}\b(?!\.)")

# As one word or in fours, of which only the bank's is without digits. Each quantifier is bounded,
# so that the search takes a time in proportion to the text's length. Possessive groups would do it
# too, but match wrongly in Python 3.11.2.
IBAN = re.compile(
    r"\b[a-z]{2}\d{2}(?:"
    r"[a-z0-9]{11,30}"
    r"|[ -][a-z0-9]{4}(?:[ -](?=[a-z]{0,3}\d)[a-z0-9]{4}){1,6}(?:[ -]\d[a-z0-9]{0,2})?"
    r")(?!\w)"
)
SHORTEST_IBAN, LONGEST_IBAN = 15, 34
CARD = re.compile(r"(?<!\d)\d{4}(?:[ -]?\d{4}){3}(?!\d)")

# At least seven digits with little between them, from which phone numbers are made.
DIGITS = re.compile(r"\+?\d(?:[^\w\n]{0,3}\d){6,16}")
# With a country code it is one, whether or not the number has been given out.
INTERNATIONAL = re.compile(r"\+(?:\D{0,3}\d){9}")
DIGIT_WORDS = (
    "null|zero|oh|ноль|eins|ein|one|один|zwei|zwo|two|два|drei|three|три|vier|four|четыре|fünf|"
    "five|пять|sechs|six|шесть|sieben|seven|семь|acht|eight|восемь|neun|nine|девять"
)
# As many digits as words.
DIGITS_AS_WORDS = re.compile(rf"(?:\b(?:{DIGIT_WORDS}|\d)\b\W{{0,3}}){{7}}")


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """By the names in `hints.toml`."""
    listed: Mapping[str, Sequence[str]] = tomllib.loads(
        files("adsvc.services").joinpath("scam_hints.toml").read_text("utf-8")
    )
    # One search for each name: the expressions are tried where a word begins.
    return {
        name: re.compile(rf"(?<![\w@.-])(?:{'|'.join(expressions)})".replace("_", ".{0,40}?"))
        for name, expressions in listed.items()
    }


def hints_of(text: str) -> list[Hint]:
    """The hints for a message, in the order of their declaration."""
    found = set(_found(_plain(text)))
    return [hint for hint in Hint if hint in found]


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text.translate(LONG_LIGATURES))
    return INVISIBLE.sub("", normal).lower()


def _found(text: str) -> Iterator[Hint]:
    patterns = _patterns()
    for hint in (Hint.LINK, Hint.MESSENGER, Hint.MAIL, Hint.PREPAYMENT):
        if patterns[hint].search(text):
            yield hint
    if ADDRESS.search(text):
        yield Hint.MAIL
    elif HANDLE.search(text):
        yield Hint.MESSENGER
    accounts = [
        *(match[0] for match in IBAN.finditer(text) if _is_iban(match[0])),
        *(match[0] for match in CARD.finditer(text) if _is_card(match[0])),
    ]
    if accounts or patterns["account"].search(text):
        yield Hint.IBAN
    for account in accounts:
        # Its digits are no phone number.
        text = text.replace(account, " ")
    if _has_phone(text):
        yield Hint.PHONE


def _is_iban(text: str) -> bool:
    """By its check digits (ISO 13616)."""
    compact = re.sub(r"[ -]", "", text)
    number = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
    return SHORTEST_IBAN <= len(compact) <= LONGEST_IBAN and int(number) % 97 == 1


def _is_card(text: str) -> bool:
    """By its check digit (Luhn's algorithm)."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _has_phone(text: str) -> bool:
    if DIGITS_AS_WORDS.search(text):
        return True
    candidates = [match[0] for match in DIGITS.finditer(text)][:MOST_TRIES]
    if not candidates:
        return False
    if any(INTERNATIONAL.match(candidate) for candidate in candidates):
        return True
    # Few messages have so many digits, and its tables take time and memory.
    from phonenumbers import Leniency, PhoneNumberMatcher  # noqa: PLC0415

    # Digits that are set apart one by one are tried as one number too.
    joined = (re.sub(r"[^\d+]", "", candidate) for candidate in candidates)
    return any(
        PhoneNumberMatcher(
            candidate, region, leniency=Leniency.VALID, max_tries=MOST_TRIES
        ).has_next()
        for candidate in (*candidates, *joined)
        for region in REGIONS
    )


def digest_of(text: str) -> bytes:
    """Of its letters alone: the same for texts that differ in numbers, signs or spaces."""
    plain = _plain(text)
    letters = "".join(character for character in plain if character.isalpha())
    return hashlib.sha256((letters or plain).encode()).digest()[:16]
