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

    response: ResponseInfo | None = field(default=None, init=False, eq=False, repr=False)

    @property
    def etag(self) -> str | None:
        return None if self.response is None else self.response.etag


__all__ = ["UNSET", "Record", "Unset"]
