"""What was typed, as the SQL of a text search."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adsvc.search import Terms

NOTHING = "''::tsquery"


@dataclass
class Parameters:
    values: list[object] = field(default_factory=list)

    def add(self, value: object) -> str:
        self.values.append(value)
        return f"${len(self.values)}"


def words(terms: Terms, parameters: Parameters) -> str:
    """What the stems ask for or, where only stop words were typed, the words as they stand.

    Stems find whatever whole words would, and with them `-word` excludes every form of the word.
    """
    places = {
        text: parameters.add(text) for text in (terms.alternative, terms.rest, terms.prefix) if text
    }
    stems, whole = (_words(configuration, terms, places) for configuration in ("adsvc", "simple"))
    return f"(CASE numnode({stems}) WHEN 0 THEN {whole} ELSE {stems} END)"


def _words(configuration: str, terms: Terms, places: Mapping[str, str]) -> str:
    def typed(text: str) -> str:
        return f"websearch_to_tsquery('{configuration}', {places[text]})" if text else NOTHING

    query = typed(terms.rest)
    if terms.prefix:
        place = f"{places[terms.prefix]} || ':*'"
        stem, whole = (f"to_tsquery('{name}', {place})" for name in (configuration, "simple"))
        # A stop word asks for nothing here either, though it may begin another word.
        beginning = f"CASE numnode({stem}) WHEN 0 THEN {NOTHING} ELSE {stem} || {whole} END"
        query = f"({query} && {beginning})"
    return f"({typed(terms.alternative)} || {query})"
