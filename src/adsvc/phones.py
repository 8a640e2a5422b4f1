"""Phone numbers as people write and copy them."""

import re
import unicodedata

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat, ValidationResult

from adsvc.kit.normalisation import as_line

# Digits of any script, and what is between them: plus signs, spaces, dots, slashes, brackets and
# dashes. Letters are refused, because the digits of an extension are no part of the number.
WRITTEN = re.compile(r"[+\uff0b\d\s./()\[\]~\uff08\uff09\uff0d\uff0e\uff0f\u2010-\u2015\u2212-]*")
INTERNATIONAL = re.compile(r"[\s(\[]*\+")

POSSIBLE = (ValidationResult.IS_POSSIBLE, ValidationResult.IS_POSSIBLE_LOCAL_ONLY)


def digits_of(written: str) -> int:
    return sum(character.isdecimal() for character in written)


def as_number(text: str, country: str | None) -> str | None:
    """The number for answers; None if it is none. Empty if the text is.

    `country` is where numbers without a country code are (ISO 3166-1). The number stays as written
    if its digits, with a plus sign before them, are what a telephone dials: clients make `tel:`
    links (RFC 3966) from these. Any other one gets the international format (ITU-T E.123), so
    `+49 (0)30 123456` becomes `+49 30 123456`.
    """
    typed = as_line(text)
    if not WRITTEN.fullmatch(typed):
        return None
    # With the digits, spaces and brackets of ASCII, and hyphens for all dashes.
    written = "".join(map(_ascii_of, unicodedata.normalize("NFKC", typed)))
    is_international = INTERNATIONAL.match(written) is not None
    if not written or (country is None and not is_international):
        return written
    number = _parsed(written, country)
    if number is None:
        return None
    e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    if is_international:
        is_readable = e164 == f"+{re.sub(r'[^0-9]', '', written)}"
    else:
        # A local one, perhaps, which has no international form.
        is_readable = not phonenumbers.is_valid_number(number)
    if is_readable:
        return written
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def _parsed(written: str, country: str | None) -> PhoneNumber | None:
    try:
        number = phonenumbers.parse(written, country)
    except NumberParseException:
        return None
    return number if phonenumbers.is_possible_number_with_reason(number) in POSSIBLE else None


def _ascii_of(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return " " if character.isspace() else "-"
