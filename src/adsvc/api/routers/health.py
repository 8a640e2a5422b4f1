from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from adsvc.api.errors import refusals
from adsvc.api.resources import ResourcesDep
from adsvc.api.shedding import LIVENESS_PATH, READINESS_PATH
from adsvc.errors import DiskNearlyFullError, ImageStoreUnavailableError

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: Annotated[Literal["ok"], Field(examples=["ok"])] = "ok"


@router.get(LIVENESS_PATH, operation_id="isAlive", summary="Whether the process runs")
async def is_alive() -> Health:
    return Health()


@router.get(
    READINESS_PATH,
    operation_id="isReady",
    summary="Whether requests can be served",
    responses=refusals(ImageStoreUnavailableError, DiskNearlyFullError),
)
async def is_ready(resources: ResourcesDep) -> Health:
    """The database answers, its schema is this version's, and a picture could be stored."""
    await resources.readiness.require()
    return Health()
