"""What records are made of: their base classes, and the types of their members.

A bound that is a setting is not written into the type but looked up in the `Limits` that the caller
passes as the validation context. In the JSON Schema it stands as a placeholder, `{"x-limit":
"title"}`, which `schemas.site.publish_limits` replaces by the numbers in force.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any

import phonenumbers
from email_validator import EmailNotValidError, ValidatedEmail, validate_email
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat, ValidationResult
from precis_i18n import get_profile
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from adsvc.kit import faults
from adsvc.kit.normalisation import as_line, opaque
from adsvc.kit.records import LINE, TEXT, TRIMMED, may_be_absent, refused
from adsvc.limits import Limits

USERNAME = get_profile("UsernameCasePreserved")

# Some of their letters look like some of another's.
ALIKE = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU"})

# What Unicode calls Default_Ignorable_Code_Point, without what `isprintable` knows already.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


def is_seen(character: str) -> bool:
    """Whether a screen shows it, and shows it where it stands; a space counts as seen."""
    return character.isprintable() and not UNSEEN.match(character)


def fault_of(username: str) -> str | None:
    """Why the name cannot be registered, or None. Accounts that have such a name keep it.

    The rule is that of RFC 8265's UsernameCasePreserved: letters and digits of any script and the
    punctuation of ASCII, in one direction of writing, parted by single spaces. Beyond it, nothing
    invisible is taken in any context, and no word and no side of an `@` mixes letters of scripts
    that look alike.
    """
    if username != " ".join(username.split()):
        return "must not begin or end with a space, nor have two in a row or another kind of space"
    if not all(map(is_seen, username)):
        return "must have nothing invisible"
    try:
        # Hyphens are neutral in both directions of writing, as spaces are.
        USERNAME.enforce(username.replace(" ", "-"))
    except UnicodeEncodeError as error:
        if "bidi" in error.reason:
            return "must not mix letters of both directions of writing"
        return (
            "must have letters, digits, single spaces and the punctuation of ASCII only, no"
            " symbols and no letters that stand for others (RFC 8265)"
        )
    if any(len(_scripts(part)) > 1 for part in re.split("[ @]", username)):
        return "must not mix letters that look alike, such as Latin and Cyrillic ones"
    return None


def _scripts(text: str) -> set[str]:
    # The name of a letter begins with its script.
    names = (unicodedata.name(letter, "") for letter in unicodedata.normalize("NFKC", text))
    return {name.partition(" ")[0] for name in names} & ALIKE


def as_seen(username: str) -> str:
    """The name without its invisible characters: it may be that of another account."""
    seen = "".join(
        character if is_seen(character) else " " if character.isspace() else ""
        for character in unicodedata.normalize("NFKC", username)
    )
    return " ".join(seen.split())


# RFC 5321 §4.5.3.1.3, without the brackets.
MAX_LENGTH = 254

# Of providers whose mailboxes have dots wherever people like them, and go by either name.
DOTLESS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}


def _valid(text: str) -> ValidatedEmail | None:
    if len(text) > MAX_LENGTH:
        return None
    try:
        # Few servers take letters beyond ASCII before the `@`; behind it, all of them do, in their
        # other spelling.
        # `strict` is the 64 octets before the `@` of RFC 5321 §4.5.3.1.1.
        return validate_email(text, check_deliverability=False, allow_smtputf8=False, strict=True)
    except EmailNotValidError:
        return None


def normalised(text: str) -> str | None:
    """The address as it is kept and shown, its domain in lower case; None if it is no address."""
    valid = _valid(text)
    return None if valid is None else valid.normalized


def in_ascii(address: str) -> str | None:
    """As mail servers take it: an internationalized domain in Punycode."""
    valid = _valid(address)
    return None if valid is None else valid.ascii_email


def mailbox(address: str) -> str:
    """What mails to it count for: all spellings that most providers deliver to one person."""
    local, _, domain = address.casefold().rpartition("@")
    local = local.partition("+")[0]
    if provider := DOTLESS.get(domain):
        local, domain = local.replace(".", ""), provider
    return f"{local}@{domain}"


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


# Where pictures are served; clients put the server's address in front.
IMAGE_PATH = "/images/"


ImagePath = Annotated[
    str,
    BeforeValidator(lambda name: IMAGE_PATH + name if isinstance(name, str) and name else name),
    Field(
        description="Path of the picture on this server. It can be fetched without credentials.",
        examples=["/images/0f8fad5bd9cb469fa16570867728950e.jpg"],
    ),
]


PLACEHOLDER = "x-limit"


@dataclass(frozen=True)
class Bounds:
    """Between `{name}_min_length` (zero if there is no such limit) and `{name}_max_length`."""

    name: str

    def of(self, limits: Limits) -> tuple[int, int]:
        return (
            getattr(limits, f"{self.name}_min_length", 0),
            getattr(limits, f"{self.name}_max_length"),
        )

    def check(self, text: str, info: ValidationInfo) -> str:
        lower, upper = self.of(_limits(info))
        if not lower <= len(text) <= upper:
            raise refused(faults.wrong_length(lower, upper))
        return text

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), PLACEHOLDER: self.name}


@dataclass(frozen=True)
class UpTo(Bounds):
    """The upper bound, and another lower one than elsewhere."""

    lower: int = 0

    def of(self, limits: Limits) -> tuple[int, int]:
        return self.lower, super().of(limits)[1]

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), PLACEHOLDER: f"{self.lower} to {self.name}"}


class OfPassword(UpTo):
    """Bounds on the form of a password that is hashed. A hash may be of what was sent instead, so
    that stays as it is.
    """

    def check(self, text: str, info: ValidationInfo) -> str:
        super().check(opaque(text), info)
        return text


ExistingPassword = Annotated[str, OfPassword("password", 1)]


class AtMost(Bounds):
    """Both bounds are published, and only the upper one is checked: a draft may have less."""

    def of(self, limits: Limits) -> tuple[int, int]:
        return 0, super().of(limits)[1]


def _limits(info: ValidationInfo) -> Limits:
    return info.context if isinstance(info.context, Limits) else Limits()


def _is_username(text: str) -> str:
    fault = fault_of(text)
    if fault is not None:
        raise refused(faults.wrong_format(fault))
    return text


def _as_mail_address(text: str) -> str:
    address = normalised(text)
    if address is None:
        detail = "must be a mail address, in ASCII before the @"
        raise refused(faults.wrong_format(detail))
    return address


def _as_phone(text: str, info: ValidationInfo) -> str:
    """Empty, or a number as `as_number` returns it."""
    limits = _limits(info)
    lower, upper = Bounds("phone").of(limits)
    fewest, most = limits.phone_min_digits, limits.phone_max_digits
    # The settings, which are the limits of requests, may say where the site is.
    number = as_number(text, getattr(limits, "country", None)) if len(text) <= 2 * upper else None
    if number and lower <= len(number) <= upper and fewest <= digits_of(number) <= most:
        return number
    if number == "":
        return number
    detail = (
        f"must be empty, or a phone number of {lower} to {upper} characters with {fewest} to {most}"
        " digits"
    )
    raise refused(faults.wrong_format(detail, minLength=lower, maxLength=upper))


def _whole_number(value: object) -> object:
    """A string of digits counts as the number, as HTML forms send it."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        # More digits than any limit has need not be converted to be too many.
        return int(value.lstrip("0")[:20] or "0")
    return value


def _is_price(value: int, info: ValidationInfo) -> int:
    upper = _limits(info).price_max
    if not 0 <= value <= upper:
        raise refused(faults.out_of_range(0, upper))
    return value


def _placeholder(name: str) -> Any:  # noqa: ANN401 - as pydantic's own Field
    def replace(schema: JsonSchemaValue) -> None:
        schema.pop("type", None)
        schema[PLACEHOLDER] = name

    return Field(json_schema_extra=replace)


Username = Annotated[
    str,
    TRIMMED,
    Bounds("username"),
    AfterValidator(_is_username),
    Field(
        description="The name to log in with; a mail address, for example. Letters and digits of"
        " any script, ASCII punctuation and single spaces (RFC 8265, UsernameCasePreserved). Upper"
        " and lower case are the same name.",
        examples=["anna@example.com"],
    ),
]

Password = Annotated[
    str,
    AfterValidator(opaque),
    Bounds("password"),
    Field(
        description="The password for the new account. Frequent passwords, sequences and "
        "passwords made of the account's names are refused (`weak-password`).",
        examples=["correct horse battery"],
    ),
]

NewPassword = Annotated[
    str,
    AfterValidator(opaque),
    Bounds("password"),
    Field(
        description="The new password. Frequent passwords, sequences and passwords made of the "
        "account's names are refused (`weak-password`).",
        examples=["another horse, another staple"],
    ),
]

CurrentPassword = Annotated[
    ExistingPassword,
    Field(
        description="The account's password, which confirms the change.",
        examples=["correct horse battery"],
    ),
]

ConfirmingPassword = Annotated[
    CurrentPassword,
    may_be_absent,
    Field(
        description="The account's password, which confirms the change. Required of an account "
        "that has one; another one needs a login of the last five minutes."
    ),
]

FirstName = Annotated[
    str, LINE, Bounds("name"), Field(description="First name; may be empty.", examples=["Anna"])
]

LastName = Annotated[
    str, LINE, Bounds("name"), Field(description="Last name; may be empty.", examples=["Berg"])
]

Phone = Annotated[
    str,
    AfterValidator(_as_phone),
    _placeholder("phone"),
    Field(examples=["+49 30 1234567"]),
]

MailAddress = Annotated[
    str,
    TRIMMED,
    AfterValidator(_as_mail_address),
    Field(
        description="The new mail address of the account. It receives a link and counts once the "
        "link was followed.",
        examples=["anna.berg@example.com"],
    ),
]

Title = Annotated[
    str,
    LINE,
    Bounds("title"),
    Field(description="Headline of the ad.", examples=["Oak table, seats six"]),
]

# Of a change, which may be that of a draft.
DraftTitle = Annotated[
    str,
    LINE,
    AtMost("title"),
    Field(
        description="Headline of the ad. That of a draft may be shorter.",
        examples=["Oak table, seats six"],
    ),
]

StoredTitle = Annotated[
    str, Field(description="Headline of the ad.", examples=["Oak table, seats six"])
]

KeyName = Annotated[
    str,
    LINE,
    Bounds("key_name"),
    Field(description="What the key is for.", examples=["Import of our stock"]),
]

Description = Annotated[
    str,
    TEXT,
    Bounds("description"),
    Field(
        description="Text of the ad. Line breaks are kept.",
        examples=["Solid oak, oiled, 180 by 90 cm, one scratch."],
    ),
]

DraftDescription = Annotated[
    str,
    TEXT,
    AtMost("description"),
    Field(
        description="Text of the ad. Line breaks are kept. That of a draft may be shorter.",
        examples=["Solid oak, oiled, 180 by 90 cm, one scratch."],
    ),
]

StoredDescription = Annotated[
    str,
    Field(
        description="Text of the ad, with its line breaks.",
        examples=["Solid oak, oiled, 180 by 90 cm, one scratch."],
    ),
]

Place = Annotated[
    str,
    LINE,
    Bounds("place"),
    Field(description="Where the thing is, in words.", examples=["Berlin-Kreuzberg"]),
]

# Exact in JavaScript.
LARGEST_PLACE_ID = 2**53 - 1
PlaceId = Annotated[
    int,
    Field(strict=True, ge=1, le=LARGEST_PLACE_ID),
    Field(
        description="The id of a place of `GET /places`.",
        examples=[2875115],
        json_schema_extra={"format": "int64"},
    ),
]

EXTERNAL_ID_MAX_LENGTH = 100


def external_id_of(text: str) -> str:
    """Its one form. Raises the fault of another length."""
    if not 1 <= len(line := as_line(text)) <= EXTERNAL_ID_MAX_LENGTH:
        raise refused(faults.wrong_length(1, EXTERNAL_ID_MAX_LENGTH))
    return line


ExternalId = Annotated[
    str,
    AfterValidator(external_id_of),
    Field(
        description="The ad's id in its author's own system. Each account uses one only once.",
        examples=["SKU-1047"],
        json_schema_extra={"minLength": 1, "maxLength": EXTERNAL_ID_MAX_LENGTH},
    ),
]

CommentText = Annotated[
    str,
    TEXT,
    Bounds("comment"),
    Field(
        description="Text of the comment. Line breaks are kept.", examples=["Is it still there?"]
    ),
]

ReportText = Annotated[
    str,
    TEXT,
    Bounds("report"),
    Field(
        description="What is wrong, in the reporter's words. Moderators read it; the person "
        "reported does not.",
        examples=["Asks for money in advance."],
    ),
]

Explanation = Annotated[
    str,
    TEXT,
    Bounds("statement"),
    Field(
        description="The reasons. The person concerned receives them.",
        examples=["Offers of things that do not exist."],
    ),
]

AppealText = Annotated[
    str,
    TEXT,
    Bounds("statement"),
    Field(description="Why the decision is wrong.", examples=["The photos are my own."]),
]

Reference = Annotated[
    str,
    LINE,
    Bounds("reference"),
    Field(
        description="The paragraph of the law or of the terms that was broken.",
        examples=["Terms, § 4"],
    ),
]

# Without bounds: the limit may have been another one when the price was stored.
StoredPrice = Annotated[
    int,
    Field(
        description="Price in the smallest unit of the site (`priceDecimals` of `GET /site`).",
        examples=[1500],
        json_schema_extra={"format": "int32"},
    ),
]

Price = Annotated[
    int,
    Field(strict=True),
    BeforeValidator(_whole_number),
    AfterValidator(_is_price),
    _placeholder("price"),
    Field(
        description="Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A"
        " string of digits is accepted too, as forms send it.",
        examples=[1500],
    ),
]
