"""An operation to carry out, with one or more requests."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

import httpx2

from ._generated.types import Record, Unset
from .errors import UnexpectedAnswerError
from .response import info_of
from .uploads import Text, Upload, opened, repeatable, text_of, type_of_rows

T = TypeVar("T")

IfMatch: TypeAlias = Record | str
"""A record that was the answer to a request, or the tag that came with it."""

# They only add or end a session.
REPEATABLE = {"login", "issue_token", "revoke_token"}
# After a success a second attempt would be refused: the password, or the account, is gone.
NOT_REPEATABLE = {"change_password", "delete_me"}


# Without a repr: it has passwords.
@dataclass(frozen=True, kw_only=True, repr=False)
class Operation(Generic[T]):
    name: str
    method: str
    path: str
    read: Callable[[httpx2.Response], T]
    secured: bool
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    form: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Sequence[Upload] | Unset] = field(default_factory=dict)
    text: Text | None = None
    takes_json: bool = False
    """Whether the only part is sent as JSON when there are no files."""
    if_match: IfMatch | Unset = field(default_factory=Unset)
    if_none_match: IfMatch | Unset = field(default_factory=Unset)
    streamed: bool = False
    """Whether the answer goes on, so that its body is not read yet."""
    keyed: bool = False
    """Whether the service knows repetitions by their `Idempotency-Key`."""
    idempotency_key: str | Unset = field(default_factory=Unset)

    @property
    def repeatable(self) -> bool:
        """Whether carrying it out twice has the same result as once."""
        if self.method == "POST":
            return self.keyed or self.name in REPEATABLE
        return self.name not in NOT_REPEATABLE

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """The same for each attempt."""
        headers = {"Accept": "application/json, application/problem+json, image/*;q=0.9"}
        if self.streamed:
            headers["Accept"] = "text/event-stream, application/problem+json"
        if self.keyed:
            key = self.idempotency_key
            headers["Idempotency-Key"] = f'"{uuid.uuid4()}"' if isinstance(key, Unset) else key
        if self._content is not None:
            headers["Content-Type"] = type_of_rows(self._content)
        if not isinstance(self.if_match, Unset):
            headers["If-Match"] = _tag(self.if_match)
        if not isinstance(self.if_none_match, Unset):
            headers["If-None-Match"] = _tag(self.if_none_match)
        return headers

    @contextmanager
    def arguments(self) -> Iterator[dict[str, Any]]:
        """What httpx2 is to send, with files that are open for as long as that takes."""
        made: dict[str, Any] = {"method": self.method, "params": _given(self.query)}
        if self.json is not None:
            made["json"] = self.json
        if self._content is not None:
            made["content"] = self._content
        if self.form:
            made["data"] = _given(self.form)
        with ExitStack() as open_files:
            parts = [
                (name, (None, json.dumps(part), "application/json"))
                for name, part in self.parts.items()
            ]
            files = [
                (name, open_files.enter_context(opened(upload)))
                for name, uploads in self._uploads.items()
                for upload in uploads
            ]
            if self.takes_json and not files:
                made["json"] = next(iter(self.parts.values()))
            elif parts or files:
                made["files"] = [*parts, *files]
            yield made

    def result_of(self, response: httpx2.Response) -> T:
        try:
            result = self.read(response)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnexpectedAnswerError(f"{self.name}: {response.status_code}") from error
        if isinstance(result, Record):
            result.response = info_of(response)
        return result

    @cached_property
    def _content(self) -> bytes | None:
        return None if self.text is None else text_of(self.text)

    @cached_property
    def _uploads(self) -> Mapping[str, Sequence[Upload]]:
        return {
            name: [repeatable(upload) for upload in uploads]
            for name, uploads in self.files.items()
            if not isinstance(uploads, Unset)
        }


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not isinstance(value, Unset)}


def _tag(if_match: IfMatch) -> str:
    tag = if_match if isinstance(if_match, str) else if_match.etag
    if tag is None:
        raise ValueError("The record has no tag: it was not the answer to a request of its own.")
    return tag
