"""The one form of text: Unicode NFC, without what no reader can see (UAX #15, UAX #44).

All functions take time in proportion to the length of their text. They run on the event loop.
"""

import re
import unicodedata

# Every character that begins a new line somewhere (UAX #14), and a pair of them.
LINE_BREAK = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")

# The flags of England, Scotland and Wales: a black flag, a subdivision in tags, and their end.
FLAG = re.compile("(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)")

# Default_Ignorable_Code_Point without joiners and variation selectors, and what controls devices.
# Tabs and line feeds are replaced elsewhere. U+2800 is blank, and takes the room of a space.
INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]+"
)

# Zero width non-joiner and joiner: Persian and Indic words, and emoji of several parts.
JOINERS = "\u200c\u200d"
# They choose between forms of the character before them.
VARIATIONS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
# Scripts and symbols in which either changes what is seen: all but Latin, Greek and Cyrillic.
JOINED = "\u0590-\u167f\u1681-\u180a\u1810-\u1dff\u2010-\u2027\u2030-\u205e\u2070-\u2fff"
JOINED += "\u3001-\ufdff\ufe10-\U000dffff"
STRAY = re.compile(
    f"(?<![{JOINED}])(?<![{JOINED}]\ufe0f)[{JOINERS}]+|(?<=[{JOINERS}])[{JOINERS}]+"
    f"|[{JOINERS}]++(?![{JOINED}])"
    # Keycaps and signs such as © have a form as emoji.
    f"|(?<![{JOINED}0-9#*\xa9\xae])[{VARIATIONS}]+"
)

# Marks that decompose to two marks (UAX #15 §5.2). Three of them have class 0 themselves.
DOUBLE_MARKS = (
    ("\u0344", "\u0308\u0301"),
    ("\u0f73", "\u0f71\u0f72"),
    ("\u0f75", "\u0f71\u0f74"),
    ("\u0f81", "\u0f71\u0f80"),
)
# As in the Stream-Safe Text Format (UAX #15 §13): no language needs more marks on one letter.
MOST_MARKS = 30
TOO_MANY_MARKS = re.compile(rb"[^\0]{%d,}" % (MOST_MARKS + 1))


def as_line(text: str) -> str:
    """Text of one line: a line break or a tab becomes a space. Empty if nothing is visible."""
    if text.isascii() and text.isprintable():
        return text.strip(" ")
    return _visible(LINE_BREAK.sub(" ", text).replace("\t", " "))


def as_paragraphs(text: str) -> str:
    """Text with its tabs and with line feeds as line breaks. Empty if nothing is visible."""
    return _visible(LINE_BREAK.sub("\n", text))


def _visible(text: str) -> str:
    if text.isascii():
        return INVISIBLE.sub("", text).strip()
    # Every second part is a flag.
    parts = FLAG.split(text.replace("\u2800", " "))
    parts[::2] = [INVISIBLE.sub("", part) for part in parts[::2]]
    seen = as_nfc("".join(parts))
    text = STRAY.sub("", seen)
    return (text if text == seen else as_nfc(text)).strip()


def as_nfc(text: str) -> str:
    """Unicode NFC, with at most 30 combining marks on one character.

    The algorithm sorts the marks of each character, in quadratic time.
    """
    if text.isascii():
        return text
    for mark, marks in DOUBLE_MARKS:
        text = text.replace(mark, marks)
    classes = bytes(map(unicodedata.combining, text))
    left, begin = [], 0
    for run in TOO_MANY_MARKS.finditer(classes):
        left.append(text[begin : run.start() + MOST_MARKS])
        begin = run.end()
    return unicodedata.normalize("NFC", "".join((*left, text[begin:])))


# Zs, without U+0020.
OTHER_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")

# What surrounds a name that was copied, or that a keyboard has completed.
SURROUNDING = "".join(
    character
    for character in map(chr, range(0x10000))
    if character.isspace() or character == "\u2800" or INVISIBLE.fullmatch(character)
)


def trimmed(name: str) -> str:
    """Without spaces and invisible characters at both ends."""
    return name.strip(SURROUNDING)


def opaque(password: str) -> str:
    """The form of a password that is hashed: spaces are U+0020, and the rest is Unicode NFC.

    These are the rules of RFC 8265 §4.2 (OpaqueString). Its refusal of control characters and of
    unassigned ones is left out: any character makes a password better (NIST SP 800-63B §5.1.1.2).
    """
    return password if password.isascii() else as_nfc(OTHER_SPACE.sub(" ", password))


# Letters that do not decompose, as they are written without their strokes.
STROKES = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th"}
)
APOSTROPHES = re.compile("['`\u00b4\u02b9\u02bb-\u02bd\u2018\u2019\u201b\u2032]")
# Runs of what is neither a letter, a digit nor a vowel sign.
BETWEEN_WORDS = re.compile(r"[^\w\u0900-\u0dff\u0e00-\u109f\u1780-\u17d3]+|_+")


def search_key(name: str) -> str:
    """What names have in common that people take for the same: no case, no marks, no apostrophes.

    `Lüneburg` and `LUNEBURG` are `luneburg`, `Saint-Lô` is `saint lo`.
    """
    if name.isascii():
        apart = name.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", as_nfc(name).casefold())
        apart = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
        apart = apart.translate(STROKES)
    return BETWEEN_WORDS.sub(" ", APOSTROPHES.sub("", apart)).strip()
