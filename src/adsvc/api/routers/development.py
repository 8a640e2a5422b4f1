"""Operations of the development mode. Without it there are none, and the document has none."""

import asyncio

from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.repositories.operation import server
from adsvc.schemas.console import AdvanceClock, WrittenMails
from adsvc.services import development

router = APIRouter(prefix="/dev", tags=["site"])


@Endpoint(
    router,
    "POST",
    "/clock",
    summary="Advance the clock",
    status=204,
    anonymous=True,
    body=Json(AdvanceClock, adds_text=False),
)
async def advance_clock(call: Call[AdvanceClock]) -> None:
    """Makes everything that is stored older, as if so much time had passed: ads expire, alerts and
    offers become due, sessions end.

    Moments in answers are earlier afterwards. Access tokens and the log of events stay as they are.
    """
    await server.advance_clock(call.transaction, call.content.milliseconds)


@Endpoint(
    router,
    "GET",
    "/mails",
    summary="List the mails that were not sent",
    anonymous=True,
    caching=None,
)
async def list_written_mails(call: Call[None]) -> WrittenMails:
    """Returns the mails that the service has written to files instead of sending them."""
    found = await asyncio.to_thread(development.written_mails, call.settings.mail_dir)
    return WrittenMails(results=found)
