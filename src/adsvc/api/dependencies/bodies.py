"""JSON bodies as records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeVar

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from pydantic import BaseModel

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.input.json import members_of, read_json
from adsvc.api.input.parameters import Validation, validation_of
from adsvc.errors import Fault, Gathering, InvalidRequestError
from adsvc.settings import Settings

Body = TypeVar("Body", bound=BaseModel)


class Validate(Protocol):
    def __call__(self, settings: Settings, sent: Mapping[str, Any], /) -> Iterable[Fault]:
        """What is wrong with members that are right by themselves; some may be missing."""
        ...


@dataclass(frozen=True, slots=True)
class JsonRecord(Generic[Body]):
    """What a body is to be; the OpenAPI document finds it among what an operation depends on.

    `validates` says whether the operation takes the parameter `validate`, and `adds_text` whether
    what it stores may fill a disk: it is refused while that is nearly full.
    """

    record: type[Body]
    required: bool = True
    validates: bool = False
    adds_text: bool = True

    async def require_room(self, state: AppState, user_id: int | None = None) -> None:
        """On the disk, and for the account, if there is one whose texts are counted."""
        if self.adds_text:
            await state.text_reserve.require()
            if user_id is not None:
                await state.text_quota.require(user_id)

    def validation(self, request: Request) -> Validation:
        return validation_of(request.scope) if self.validates else Validation()


@dataclass(frozen=True, slots=True)
class JsonBody(JsonRecord[Body]):
    """A dependency that reads the body as that record; ask for it last."""

    # Instead of `json_body_max_bytes`.
    max_bytes: int | None = None
    validate: Validate | None = None

    async def __call__(self, request: Request, state: AppStateDep) -> Body:
        return await read_validated(self, request, state, self.validate, self.max_bytes)


async def read_validated(
    body: JsonRecord[Body],
    request: Request,
    state: AppState,
    validate: Validate | None,
    max_bytes: int | None = None,
) -> Body:
    """What `judge` finds is told together with what is wrong with single members."""
    await body.require_room(state)
    settings = state.settings
    beside = body.validation(request).faults
    try:
        record = await read_json(request, body.record, settings, max_bytes, beside=beside)
    except InvalidRequestError as error:
        if validate is not None and error.sent is not None:
            gathering = Gathering(error.faults)
            gathering.add(validate(settings, error.sent))
            gathering.refuse()
        raise
    if validate is not None and (found := list(validate(settings, members_of(record)))):
        raise InvalidRequestError(*found)
    return record


async def get_validates_only(request: Request) -> bool:
    """Whether the request is to be judged only; who reads the body refuses what is neither."""
    return validation_of(request.scope).only


ValidatesOnly = Annotated[bool, Depends(get_validates_only)]


def takes_validate(dependant: Dependant) -> bool:
    """Whether an operation has the parameter `validate`."""
    call: object = dependant.call
    if isinstance(call, JsonRecord) and call.validates:
        return True
    return call is get_validates_only or any(map(takes_validate, dependant.dependencies))
