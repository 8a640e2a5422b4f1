"""The words of a query as the index has them.

A word matches by its stem, as it stands, and in its other forms (`adsvc.word_forms`). PostgreSQL
gives the stems, in one statement for all words. What comes back is the text of a `tsquery`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from adsvc.kit.db.statements import Statements
from adsvc.repositories.ads.search_words import SHORTEST_PREFIX, Terms, TypedPart
from adsvc.word_forms import SPACELESS_SIGN, normal_words, other_forms, plain_words

# Empty for stop words.
SELECT_FORMS = """
    SELECT form, phraseto_tsquery('adsvc'::text::regconfig, form)::text AS stems,
        phraseto_tsquery('simple', form)::text AS unchanged
    FROM unnest($1::text[]) AS typed (form)
"""
LEXEME = re.compile(r"'((?:[^'\\]|''|\\.)*)'")
ESCAPED = re.compile(r"\\(.)|''")
# The spelling of an ad has this weight in the index.
SPELLING = "A"
LONGEST_PART = 256
# A saved query is a row, which has room for about 250 lexemes: the first signs of a run are enough,
# and words of more parts are found in their own spelling and joined.
MOST_SIGNS = 32
MOST_PARTS = 4
# An index written before words had forms has them with these signs.
SIGNS_BEFORE = frozenset("./")


def lexemes_of(query: str) -> list[str]:
    return [ESCAPED.sub(lambda match: match[1] or "'", text) for text in LEXEME.findall(query)]


class _Forms(NamedTuple):
    stems: str
    unchanged: str


@dataclass(frozen=True)
class Word:
    """A part of a query: texts of `tsquery`, of which an ad has to match one."""

    whole: tuple[str, ...]
    # The spelling of the query, not its stem.
    typed: str
    # The same as beginnings.
    begun: tuple[str, ...] = ()
    excluded: bool = False

    @property
    def alternatives(self) -> list[list[str]]:
        """The lexemes of each."""
        return [lexemes_of(text) for text in self.whole]

    @property
    def beginnings(self) -> list[str]:
        return [lexemes_of(text)[-1] for text in self.begun]


@dataclass(frozen=True)
class WordQuery:
    """Alternatives of words. The texts of `tsquery` are empty if there is no word."""

    groups: tuple[tuple[Word, ...], ...]
    # Whether only stop words were typed.
    is_unchanged: bool = False

    @cached_property
    def begun(self) -> str:
        """The last word may be the beginning of one."""
        return self._text(lambda word: (*word.whole, *word.begun))

    @cached_property
    def whole(self) -> str:
        return self._text(lambda word: word.whole)

    @cached_property
    def exact(self) -> str:
        """All words in the spelling of the query. What is excluded is so in every spelling."""
        return self._text(
            lambda word: (
                word.whole if word.excluded else (LEXEME.sub(rf"\g<0>:{SPELLING}", word.typed),)
            )
        )

    @property
    def has_several(self) -> bool:
        """Whether an ad needs several lexemes."""
        return self.has_phrases or any(len(group) > 1 for group in self.groups)

    @property
    def has_phrases(self) -> bool:
        """Whether words have to be adjacent."""
        return "<" in self.whole

    @property
    def words(self) -> int:
        return sum(not word.excluded for group in self.groups for word in group)

    @property
    def has_beginning(self) -> bool:
        return any(word.begun for group in self.groups for word in group)

    def _text(self, forms_of: Callable[[Word], Sequence[str]]) -> str:
        return " | ".join(
            f"({' & '.join('!' * word.excluded + _any_of(forms_of(word)) for word in group)})"
            for group in self.groups
        )


def _any_of(texts: Sequence[str]) -> str:
    return f"({' | '.join(dict.fromkeys(texts))})"


async def queries_of(db: Statements, typed: Iterable[Terms]) -> Mapping[Terms, WordQuery]:
    queries = {terms: terms.parts for terms in typed}
    forms = {
        form
        for groups in queries.values()
        for group in groups
        for part in group
        for word in _forms_of(part)
        for form in word
    }
    rows = await db.fetch(SELECT_FORMS, list(forms), keep_plan=True)
    known = {row["form"]: _Forms(row["stems"], row["unchanged"]) for row in rows}
    return {terms: _query(groups, known) for terms, groups in queries.items()}


async def single_words(db: Statements, words: Iterable[str]) -> dict[str, WordQuery]:
    """Each as a query of its own, of which it is the whole."""
    typed = {word: Terms("", word, "") for word in words}
    queries = await queries_of(db, typed.values())
    return {word: queries[terms] for word, terms in typed.items()}


@lru_cache(1024)
def _forms_of(part: TypedPart) -> Sequence[Sequence[str]]:
    """For each of its words the forms to look up, the spelling of the query first."""
    normal = normal_words(part.text, LONGEST_PART)
    words = [word for word in normal.split(" ") if word]
    if part.is_phrase or (part.excluded and len(words) > 1):
        return [[plain_words(normal)]]
    found = []
    for word in words:
        if SPACELESS_SIGN.match(word):
            forms = other_forms(word[:MOST_SIGNS]) or [word]
        else:
            others = (form for form in other_forms(word) if form.count(" ") < MOST_PARTS)
            forms = [plain_words(word), *others]
        if SIGNS_BEFORE.intersection(word):
            forms.append(word)
        found.append(forms)
    return found


def _query(groups: Sequence[Sequence[TypedPart]], known: Mapping[str, _Forms]) -> WordQuery:
    """By stems or, if only stop words were typed, by the unchanged words.

    Stems find everything that whole words would, and make `-word` exclude every form of the word.
    """
    for by_stem in (True, False):
        found = []
        for group in groups:
            words = [
                word
                for part in group
                for forms in _forms_of(part)
                if (word := _word(part, forms, known, by_stem=by_stem)) is not None
            ]
            if words:
                found.append(tuple(words))
        if found:
            return WordQuery(tuple(found), is_unchanged=not by_stem)
    return WordQuery(())


def _word(
    part: TypedPart, forms: Sequence[str], known: Mapping[str, _Forms], *, by_stem: bool
) -> Word | None:
    """None for a stop word."""
    texts = []
    for form in forms:
        stems, unchanged = known[form]
        is_part_stopped = 0 < stems.count("'") < unchanged.count("'")
        if is_part_stopped and not part.is_phrase:
            # As in `A4`.
            stems = unchanged
        texts.append(stems if by_stem else unchanged)
    if not texts[0]:
        return None
    begun = tuple(
        f"{known[form].unchanged}:*"
        for form in forms
        if part.is_beginning
        # The pairs of a run find what goes on after it.
        and not (" " in form and SPACELESS_SIGN.match(form))
        and known[form].unchanged.endswith("'")
        and len(lexemes_of(known[form].unchanged)[-1]) >= SHORTEST_PREFIX
    )
    typed = known[forms[0]].unchanged
    return Word(tuple(filter(None, texts)), typed, begun, excluded=part.excluded)
