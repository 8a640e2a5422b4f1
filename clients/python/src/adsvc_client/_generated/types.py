"""What all records have in common."""

from typing import Final, Literal

from attrs import define, field

from ..response import ResponseInfo


class Unset:
    """A member that is left out, which is not the same as null."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


@define
class Record:
    """A record of the interface.

    A record that was the whole answer to a request has that answer as `response`. Its `etag` goes back as `if_match`
    or `if_none_match`.
    """

    _response: ResponseInfo | None = field(default=None, init=False, eq=False, repr=False)

    @property
    def response(self) -> ResponseInfo:
        """Of a record that a method returned; `LookupError` for one that is a part of another."""
        if self._response is None:
            raise LookupError("The record was not the answer to a request of its own.")
        return self._response

    @response.setter
    def response(self, response: ResponseInfo) -> None:
        self._response = response

    @property
    def etag(self) -> str | None:
        return None if self._response is None else self._response.etag


__all__ = ["UNSET", "Record", "Unset"]
