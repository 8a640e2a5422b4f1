from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from adsvc.addresses import PROXY_HEADER
from adsvc.api.app_state import AppStateDep
from adsvc.api.fastpath.load_shedding import LIVENESS_PATH, READINESS_PATH
from adsvc.api.problems.documentation import refusals
from adsvc.errors import DiskNearlyFullError, ImageStoreUnavailableError, InvalidRequestError
from adsvc.schemas.base import ANSWERED
from adsvc.services.readiness import ReadinessPart

router = APIRouter(tags=["health"])


class Health(BaseModel):
    model_config = ANSWERED

    status: Annotated[Literal["ok"], Field(examples=["ok"])] = "ok"


class Ready(Health):
    degraded: Annotated[
        list[str],
        Field(
            description="What is out of service while reads go on: `pictures` are not stored, "
            "`text` is not taken, the database takes no `writes`. More may follow.",
            examples=[["pictures"]],
        ),
    ]


@router.get(LIVENESS_PATH, operation_id="isAlive", summary="Whether the process runs")
async def is_alive(request: Request, response: Response) -> Health:
    """Asks nobody else; a process that does not answer is to be restarted."""
    # Proxies give the address of a client, and no port.
    if request.client is not None and request.client.port == 0:
        response.headers[PROXY_HEADER] = "trusted"
    return Health()


@router.get(
    READINESS_PATH,
    operation_id="isReady",
    summary="Whether reads can be served",
    responses=refusals(InvalidRequestError, ImageStoreUnavailableError, DiskNearlyFullError),
)
async def is_ready(
    state: AppStateDep,
    require: Annotated[
        list[ReadinessPart],
        Query(description="Parts without which it is 503, too.", examples=[["pictures"]]),
    ] = [],  # noqa: B006 - FastAPI copies it
) -> Ready:
    """A database answers, and this version works on its schema."""
    condition = await state.readiness.condition()
    refusal = condition.refusal(require)
    if refusal is not None:
        # Many raise the same one.
        raise refusal.with_traceback(None)
    return Ready(degraded=[part.value for part in condition.degraded])
