"""The steps of an ad's life."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.dependencies.caller import require_mail
from adsvc.api.dependencies.writes import BareWrite, JsonWrite, Write, write_route
from adsvc.api.input.parameters import AdIdPath
from adsvc.api.openapi import written_responses
from adsvc.api.problems.documentation import KEYED_REFUSALS, refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    IllegalTransitionError,
    InvalidRequestError,
    MailNotVerifiedError,
    PreconditionFailedError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.schemas.ads import Ad, Sale
from adsvc.services.ads.lifecycle import LifeWrite
from adsvc.settings import MailRequired

router = APIRouter(prefix="/ads/{id:ad_id}", tags=["ads"])

REFUSALS = (
    InvalidRequestError,
    UnauthenticatedError,
    AdNotFoundError,
    AdGoneError,
    ForbiddenError,
    IllegalTransitionError,
    PreconditionFailedError,
    RateLimitedError,
    *KEYED_REFUSALS,
)

# Those that have everybody see what they have not seen so far.
SHOWS = ("publish", "renew")

Bare = Annotated[Write[None], Depends(BareWrite())]


def _ad(write: Write[None] | Write[Sale], ad_id: int) -> LifeWrite:
    return LifeWrite(write.state.database, write.state.settings, write.caller, ad_id, write.writer)


def _add(name: str, summary: str, told: str) -> None:
    async def take(write: Bare, ad_id: AdIdPath) -> Response:
        if name in SHOWS:
            require_mail(write.state, write.caller, MailRequired.POST)
        ad = _ad(write, ad_id)
        return await write.answer(
            lambda _, expected: ad.take(name, expected), require=ad.require_owned
        )

    take.__doc__ = told
    write_route(
        router,
        "POST",
        f"/{name}",
        takes_key=True,
        operation_id=f"{name}Ad",
        summary=summary,
        response_model=Ad,
        responses=written_responses()
        | refusals(*REFUSALS, *([MailNotVerifiedError] if name in SHOWS else ())),
    )(take)


_add(
    "publish",
    "Show an ad to everybody",
    "A draft, or an ad that was withdrawn or has expired, becomes active.",
)
_add("reserve", "Reserve an ad", "It is still shown, and says that somebody is to have it.")
_add("release", "End an ad's reservation", "A reserved ad becomes active again.")


@write_route(
    router,
    "POST",
    "/sell",
    takes_key=True,
    operation_id="sellAd",
    summary="Say that the thing is sold",
    response_model=Ad,
    responses=written_responses()
    | refusals(*REFUSALS, ContentTooLargeError, UnsupportedMediaTypeError),
)
async def sell_ad(
    write: Annotated[Write[Sale], Depends(JsonWrite(Sale, required=False, adds_text=False))],
    ad_id: AdIdPath,
) -> Response:
    """The last step: a sold ad is shown to its author only. The price may be told."""
    ad = _ad(write, ad_id)
    return await write.answer(ad.sell, require=ad.require_owned)


_add("withdraw", "Take an ad back", "It is shown to its author only, until it is published again.")
_add("renew", "Show an ad for longer", "An active or expired ad is shown for the full time anew.")
