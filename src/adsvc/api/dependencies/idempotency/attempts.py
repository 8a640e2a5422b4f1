"""One attempt to have a request carried out, and the answer to an earlier one."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import BaseModel, JsonValue

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.dependencies.idempotency.keys import IdempotencyKey
from adsvc.db.database import Transaction
from adsvc.db.read_pool import FollowedWriter, Record
from adsvc.repositories.accounts.idempotency_keys import Answer
from adsvc.services.accounts.idempotency import KeyedRequest

# What belongs to the answer. Its id and the limits on requests are those of the request at hand.
KEPT_HEADERS = ("cache-control", "content-location", "content-type", "etag", "link", "location")

REPLAYED = {"Idempotent-Replayed": "true"}


class AnsweredBefore(Exception):  # noqa: N818 - it ends a request, and is no error
    """Raised instead of carrying a request out once more."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def replay(_: Request, answered: Exception) -> Response:
    """The handler of `AnsweredBefore`."""
    assert isinstance(answered, AnsweredBefore)  # noqa: S101 - what it is registered for
    return answered.response


def keyed_request(
    request: Request, state: AppState, key: str | None, owner: int | str
) -> KeyedRequest | None:
    if key is None:
        return None
    operation = request.method, request.scope["path"]
    return KeyedRequest(state.database, state.settings, key, owner=owner, operation=operation)


def parts_of(record: BaseModel | None) -> JsonValue:
    """What was sent as it was understood."""
    if record is None:
        return None
    sent: JsonValue = record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return sent


def answer_of(response: Response) -> Answer:
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    return Answer(response.status_code, headers, bytes(response.body).decode())


def replayed(answer: Answer, fresh: Mapping[str, str] = {}) -> Response:
    """`fresh` are headers of the request at hand."""
    return Response(answer.body, answer.status, {**fresh, **answer.headers, **REPLAYED})


def writer_of(
    keyed: KeyedRequest, response_of: Callable[[Record], Response | None]
) -> FollowedWriter:
    """Keeps the response along with the change; None for a row that tells of no change."""

    def kept(row: Record) -> Answer | None:
        response = response_of(row)
        return None if response is None else answer_of(response)

    return keyed.writer(kept)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a request with a key does besides; without one, nothing.

    `response` collects headers of the request at hand.
    """

    keyed: KeyedRequest | None
    response: Response

    async def begin(self, record: BaseModel | None, pictures: Sequence[Path] = ()) -> None:
        """After the request has been read. `AnsweredBefore` if it was carried out before."""
        if self.keyed is not None:
            answer = await self.keyed.claim(parts_of(record), pictures)
            if answer is not None:
                raise AnsweredBefore(replayed(answer, self.response.headers))

    async def kept(
        self, transaction: Transaction, response: Response, *, user_id: int | None = None
    ) -> Response:
        """Ask for it at the end of the transaction; see `KeyedRequest.keep`."""
        if self.keyed is not None:
            await self.keyed.keep(transaction, answer_of(response), user_id=user_id)
        return response

    async def answered(
        self, transaction: Transaction, record: BaseModel, status: int = 200
    ) -> Response:
        """The record as the answer, `kept`."""
        body = record.model_dump_json(by_alias=True)
        headers = dict(self.response.headers)
        return await self.kept(transaction, Response(body, status, headers, "application/json"))


@asynccontextmanager
async def attempt(keyed: KeyedRequest | None, response: Response) -> AsyncIterator[Attempt]:
    """A dependency that asks for it comes before the transaction, so as to end after it."""
    try:
        yield Attempt(keyed, response)
    except Exception:
        if keyed is not None:
            await keyed.release()
        raise


async def get_caller_attempt(
    request: Request,
    user: CurrentUser,
    state: AppStateDep,
    key: IdempotencyKey,
    response: Response,
) -> AsyncIterator[Attempt]:
    async with attempt(keyed_request(request, state, key, user.id), response) as made:
        yield made


CallerAttempt = Annotated[Attempt, Depends(get_caller_attempt, scope="function")]
