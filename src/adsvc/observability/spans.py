"""Spans of what is no request and no statement, where there are traces."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar

Attributes = Mapping[str, str | int]


class Spans:
    """How they are made in this process. Without these nothing is measured."""

    # With whether it begins a trace: what is done inside is below it.
    begin: ClassVar[Callable[[str, Attributes, bool], AbstractContextManager[object]] | None] = None
    # Of what has just ended: how many seconds it took, and what came of it if it failed.
    ended: ClassVar[Callable[[str, float, BaseException | None, Attributes, bool], None] | None] = (
        None
    )


def span(
    name: str, attributes: Attributes, *, begins_trace: bool = False
) -> AbstractContextManager[object]:
    """Around a piece of work, of what is traced already or of a trace of its own."""
    begin = Spans.begin
    return nullcontext() if begin is None else begin(name, attributes, begins_trace)


def note_span(
    name: str,
    seconds: float,
    error: BaseException | None,
    attributes: Attributes,
    *,
    begins_trace: bool = False,
) -> None:
    """Of a piece of work that has just ended."""
    if Spans.ended is not None:
        Spans.ended(name, seconds, error, attributes, begins_trace)
