from fastapi import APIRouter, Request, Response

from adsvc import API_VERSION
from adsvc.api.app_state import AppStateDep
from adsvc.api.caching.representation import json_response
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.http.headers import PUBLIC
from adsvc.limits import Limits
from adsvc.schemas.site import Site, SiteLimits

router = APIRouter(tags=["site"])


@router.get(
    "/site",
    operation_id="getSite",
    summary="The site's name, its currency, its languages and the limits in force",
    response_model=Site,
    responses=answer_responses() | refusals(),
)
async def get_site(request: Request, state: AppStateDep) -> Response:
    """What a client needs before it shows a price or a form."""
    settings = state.settings
    site = Site(
        name=settings.site_name,
        currency=settings.currency,
        languages=list(settings.languages),
        limits=SiteLimits(**{name: getattr(settings, name) for name in Limits.model_fields}),
        version=API_VERSION,
    )
    return json_response(site.model_dump_json(by_alias=True).encode(), PUBLIC).to(request)
