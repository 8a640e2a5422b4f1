from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from adsvc.api.app_state import AppStateDep
from adsvc.api.fastpath.load_shedding import LIVENESS_PATH, READINESS_PATH
from adsvc.api.problems.documentation import refusals
from adsvc.errors import DiskNearlyFullError, ImageStoreUnavailableError
from adsvc.schemas.base import ANSWERED

router = APIRouter(tags=["health"])


class Health(BaseModel):
    model_config = ANSWERED

    status: Annotated[Literal["ok"], Field(examples=["ok"])] = "ok"


@router.get(LIVENESS_PATH, operation_id="isAlive", summary="Whether the process runs")
async def is_alive() -> Health:
    """Asks nobody else; a process that does not answer is to be restarted."""
    return Health()


@router.get(
    READINESS_PATH,
    operation_id="isReady",
    summary="Whether requests can be served",
    responses=refusals(ImageStoreUnavailableError, DiskNearlyFullError),
)
async def is_ready(state: AppStateDep) -> Health:
    """The database answers, its schema is this version's, and a picture could be stored."""
    await state.readiness.require()
    return Health()
