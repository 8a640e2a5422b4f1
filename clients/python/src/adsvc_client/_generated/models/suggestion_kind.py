from typing import Literal

SuggestionKind = Literal["brand", "category", "phrase", "place"] | str


def check_suggestion_kind(value: str) -> SuggestionKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
