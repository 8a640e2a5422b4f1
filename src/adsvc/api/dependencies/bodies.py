"""JSON bodies as records."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel

from adsvc.api.app_state import AppStateDep
from adsvc.api.input.json import read_json

Body = TypeVar("Body", bound=BaseModel)


def json_body(model: type[Body]) -> Callable[..., Coroutine[Any, Any, Body]]:
    """A dependency that reads the body as that record; ask for it last."""

    async def read(request: Request, state: AppStateDep) -> Body:
        return await read_json(request, model, state.settings)

    return read
