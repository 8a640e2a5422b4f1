"""What the others derive from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


class AdsvcError(Exception):
    """The root of the hierarchy."""


class ConfigurationError(AdsvcError):
    """Settings that cannot work; the message names the setting."""


class OperatorError(AdsvcError):
    """A command that cannot be carried out; the message says why."""


class RefusalError(AdsvcError):
    """A request that is answered with a refusal.

    `detail` is for the client's developer and never repeats what the client sent.
    """

    detail = "The request was refused."
    # What the problem document has besides.
    members: Mapping[str, object] = {}

    def __init__(self, detail: str | None = None) -> None:
        if detail is not None:
            self.detail = detail
        super().__init__(self.detail)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a request, and where.

    `place` is a JSON Pointer (RFC 6901) when `kind` is `pointer`, else the name of the query
    parameter, path parameter or form part.
    """

    detail: str
    place: str = ""
    kind: Literal["pointer", "parameter"] = "pointer"
