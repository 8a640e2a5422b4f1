"""What all records have in common."""

from typing import Final, Literal

from attrs import define, field


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

    `etag` is set on records that were the whole answer to a request, and goes back as `if_match`.
    """

    etag: str | None = field(default=None, init=False, eq=False, repr=False)


__all__ = ["UNSET", "Record", "Unset"]
