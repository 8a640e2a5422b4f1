"""Idempotency keys: read, claimed, answered from what was stored."""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel, JsonValue
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import ClientAddress, CurrentUser
from adsvc.api.input.parameters import validation_of
from adsvc.db.database import Transaction
from adsvc.db.pools import FollowedWriter, Row
from adsvc.errors import InvalidRequestError, faults
from adsvc.repositories.accounts.idempotency_keys import Answer
from adsvc.services.accounts.idempotency import KeyedRequest
from adsvc.services.accounts.networks import network

NAME = "Idempotency-Key"

# Printable ASCII, bare or as a string of RFC 9651 §3.3.3, which escapes quotes and backslashes.
BARE = r"[!#-~](?:[ -~]{0,253}[!-~])?"
QUOTED = r'"(?:[ !#-\[\]-~]|\\["\\]){1,255}"'
KEY = re.compile(f"{BARE}|{QUOTED}")
ESCAPED = re.compile(r"\\(.)")

DESCRIPTION = """
Identifies the request, so that it can be sent again after a lost answer: it is carried out once,
and for 24 hours the same request with the same key gets the first answer again, with
`Idempotent-Replayed: true`. 1 to 255 printable characters, such as a random UUID, bare or in
quotes.
"""


def key_of(request: Request) -> str | None:
    """Quoted or not, it is the same key."""
    sent = request.headers.getlist(NAME)
    if not sent:
        return None
    value = sent[0].strip(" \t")
    if len(sent) > 1 or not KEY.fullmatch(value):
        detail = "must be there once, and have 1 to 255 printable ASCII characters"
        raise InvalidRequestError(faults.wrong_format(detail, minLength=1, maxLength=255).of(NAME))
    return ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value


async def idempotency_key(
    request: Request,
    _documented: Annotated[
        str | SkipJsonSchema[None],
        Header(
            alias=NAME,
            description=" ".join(DESCRIPTION.split()),
            examples=["7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"],
            # FastAPI would refuse only after everything else.
            json_schema_extra={"pattern": f"^(?:{BARE}|{QUOTED})$"},
        ),
    ] = None,
) -> str | None:
    return key_of(request)


IdempotencyKey = Annotated[str | None, Depends(idempotency_key)]


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


def writer_of(keyed: KeyedRequest, response_of: Callable[[Row], Response | None]) -> FollowedWriter:
    """Keeps the response along with the change; None for a row that tells of no change."""

    def kept(row: Row) -> Answer | None:
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


async def get_registration_attempt(
    request: Request,
    state: AppStateDep,
    address: ClientAddress,
    key: IdempotencyKey,
    response: Response,
) -> AsyncIterator[Attempt]:
    # Where nothing happens, nothing can happen twice.
    keyed = (
        None
        if validation_of(request.scope).only
        else keyed_request(request, state, key, network(address))
    )
    async with attempt(keyed, response) as made:
        yield made


RegistrationAttempt = Annotated[Attempt, Depends(get_registration_attempt, scope="function")]
