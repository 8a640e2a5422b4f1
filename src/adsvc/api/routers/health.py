from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy.exc import SQLAlchemyError

from adsvc import migrations
from adsvc.api.errors import refusals
from adsvc.api.resources import ResourcesDep
from adsvc.api.shedding import LIVENESS_PATH
from adsvc.errors import ImageStoreUnavailableError, UnavailableError
from adsvc.repositories import SchemaRepository

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: Annotated[Literal["ok"], Field(examples=["ok"])] = "ok"


@router.get(LIVENESS_PATH, operation_id="isAlive", summary="Whether the process runs")
async def is_alive() -> Health:
    return Health()


@router.get(
    "/readyz",
    operation_id="isReady",
    summary="Whether requests can be served",
    responses=refusals(ImageStoreUnavailableError),
)
async def is_ready(resources: ResourcesDep) -> Health:
    """The database answers, its schema is this version's, and a picture could be stored."""
    try:
        async with resources.database.autocommit() as session:
            revision = await SchemaRepository(session).revision()
    except (SQLAlchemyError, OSError) as error:
        raise UnavailableError("The database cannot be reached.") from error
    if revision != migrations.head():
        raise UnavailableError("The database schema is not this version's; run: adsvc migrate")
    await resources.store.check()
    return Health()
