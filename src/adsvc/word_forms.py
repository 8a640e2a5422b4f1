"""The words of a text, as search compares them.

The SQL functions `normal_words`, `plain_words` and `more_words` follow the same rules for the texts
of ads. All functions take time in proportion to the length of their text.
"""

import itertools
import re
import unicodedata

from adsvc.kit.normalisation import STROKES

# Apostrophes and dashes have one form each.
UNIFIED = str.maketrans(
    "\u2019\u2018\u201b\u02bc\u02b9`\xb4\u2032\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "''''''''-------",
)
INVISIBLE = re.compile("[\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+")
# Of Latin, Greek, Cyrillic, Hebrew and Arabic letters. Marks of other scripts make other letters.
MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u065f\u0670"
    "\u1ab0-\u1abd\u1dc0-\u1dff\u20d0-\u20dc\ufe20-\ufe2f]+"
)
# They join the parts of one word.
JOINERS = "'+-./_&"
TO_SPACES = str.maketrans(dict.fromkeys('\t\n\r!"#$%()*,:;<=>?@[\\]^`{|}~', " "))
APART = str.maketrans(dict.fromkeys(JOINERS, " "))
JOINED = str.maketrans(dict.fromkeys(JOINERS))
# Thai, Lao, Burmese, Khmer, Chinese and Japanese have no spaces between words.
SPACELESS = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
SPACELESS_RUN = re.compile(f"({SPACELESS}+)")
SPACELESS_SIGN = re.compile(f"({SPACELESS})")
AFTER_DIGIT = re.compile("([0-9])([^0-9 ])")
BEFORE_DIGIT = re.compile("([^0-9 ])([0-9])")
# `E Bike` is one word. `a` and `i` are words of their own in English.
LETTER_BEFORE = re.compile("(?:^| )([b-hj-z]) ([^ '+./_&-]{3,63})(?= |$)")
UMLAUTS = str.maketrans({"ü": "ue", "ö": "oe", "ä": "ae"})
# Longer ones are addresses, or no words at all.
LONGEST_WORD = 64
# The sigma at the end of a word is the same letter.
FOLDS = STROKES | {ord("\u03c2"): "\u03c3"}


def normal_words(text: str, most: int | None = None) -> str:
    """Words in one spelling: Unicode NFKC, lower case, and spaces between them.

    Words may contain `JOINERS`. Each run of a script without spaces is a word. `most` characters of
    NFKC count: some become eighteen.
    """
    if text.isascii():
        return text.lower().translate(TO_SPACES)
    seen = unicodedata.normalize("NFKC", INVISIBLE.sub("", text.translate(UNIFIED)))
    # Each letter by itself: the end of a word makes no difference.
    lower = "".join(letter.lower()[0] for letter in seen[:most])
    return SPACELESS_RUN.sub(r" \1 ", lower).translate(TO_SPACES)


def plain_words(normal: str) -> str:
    """The parts of all words: between joiners, letters and digits, and signs without spaces."""
    apart = normal.translate(APART)
    apart = BEFORE_DIGIT.sub(r"\1 \2", AFTER_DIGIT.sub(r"\1 \2", apart))
    if not apart.isascii():
        apart = SPACELESS_SIGN.sub(r"\1 ", apart)
    return " ".join(filter(None, apart.split(" ")))


def folded(normal: str) -> str:
    """Without marks and strokes."""
    if normal.isascii():
        return normal
    bare = MARKS.sub("", unicodedata.normalize("NFKD", normal))
    return unicodedata.normalize("NFC", bare).translate(FOLDS)


def other_forms(word: str) -> list[str]:
    """What else a word of `normal_words` is found by, besides its parts.

    Its joined parts, the same without marks, and pairs of signs. Each may be several words in
    order.
    """
    word = word.strip(JOINERS)
    if SPACELESS_SIGN.match(word):
        return [" ".join(map("".join, itertools.pairwise(word)))] if len(word) > 1 else []
    if len(word) > LONGEST_WORD:
        return []
    parts = plain_words(word)
    spellings = [parts]
    if not parts.isascii():
        spellings += [folded(parts), folded(parts.translate(UMLAUTS))]
    forms = []
    for spelling in dict.fromkeys(spellings):
        if spelling != parts:
            forms.append(spelling)
        if " " in spelling:
            forms.append(spelling.replace(" ", ""))
    return forms


def more_words(normal: str) -> str:
    """The other forms of all words, of each once, and letters with the words behind them."""
    words = dict.fromkeys(word.strip(JOINERS) for word in normal.split(" "))
    joined = map("".join, LETTER_BEFORE.findall(normal))
    return " ".join([*(form for word in words for form in other_forms(word)), *joined])
