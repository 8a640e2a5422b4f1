import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Protocol


class StoredImage(Protocol):
    """An open picture: read it once, or close it."""

    @property
    def size(self) -> int: ...

    def chunks(self, start: int, stop: int) -> AsyncIterator[bytes]: ...

    async def close(self) -> None: ...


class ImageStore(Protocol):
    """Pictures by name. A name is given out once: what it names never changes.

    Every method raises `ImageStoreUnavailableError` when the store cannot do its work.
    """

    async def put(self, name: str, data: bytes) -> None:
        """Durable when it returns; when it raises, nothing of that name is there."""
        ...

    async def open(self, name: str) -> StoredImage:
        """`ImageNotFoundError` when there is no such picture."""
        ...

    async def require(self, name: str) -> None:
        """`ImageNotFoundError` when there is no such picture; cheaper than to open it."""
        ...

    async def delete(self, name: str) -> None:
        """Nothing happens if there is no such picture."""
        ...

    async def delete_all(self, names: Sequence[str]) -> Sequence[str]:
        """Those of them that are not there now, nor after a power cut."""
        ...

    def older_than(self, seconds: float) -> AsyncIterator[list[str]]:
        """The names of all pictures of at least that age, in batches."""
        ...

    @property
    def place(self) -> str:
        """Where it is, for messages to operators."""
        ...

    async def owner(self) -> str | None:
        """The id of the installation that the store belongs to; None if there is no store, too."""
        ...

    async def claim(self, owner: str, *, instead_of: str | None = None) -> str:
        """Whose the store is afterwards: of several who claim what is nobody's, one wins."""
        ...

    async def is_empty(self) -> bool:
        """Whether it holds no picture at all."""
        ...

    async def present(self, names: Sequence[str]) -> set[str]:
        """Those of the names that it holds."""
        ...

    async def check(self) -> None:
        """Finds out whether a picture could be stored now."""
        ...


def new_image_name(extension: str) -> str:
    """128 random bits, so that no name can be guessed or comes twice."""
    return f"{secrets.token_hex(16)}.{extension}"
