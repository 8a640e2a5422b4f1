"""JSON bodies as records."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel

from adsvc.api.app_state import AppStateDep
from adsvc.api.input.json import read_json

Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonRecord(Generic[Body]):
    """What a body is to be; the OpenAPI document finds it among what an operation depends on."""

    record: type[Body]
    required: bool = True


@dataclass(frozen=True, slots=True)
class JsonBody(JsonRecord[Body]):
    """A dependency that reads the body as that record; ask for it last."""

    # Instead of `json_body_max_bytes`.
    max_bytes: int | None = None

    async def __call__(self, request: Request, state: AppStateDep) -> Body:
        return await read_json(request, self.record, state.settings, self.max_bytes)
