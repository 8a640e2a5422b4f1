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

# Those that show everyone what they have not seen so far.
SHOWS = ("publish", "renew")

# Of every step.
WHO = (
    "The author and administrators may{mail}. If the ad's status does not allow the step, it is "
    "refused with 409. Counts towards the account's limit on changes."
)

Bare = Annotated[Write[None], Depends(BareWrite())]


def _ad(write: Write[None] | Write[Sale], ad_id: int) -> LifeWrite:
    return LifeWrite(write.state.database, write.state.settings, write.caller, ad_id, write.writer)


def _add(name: str, summary: str, description: str) -> None:
    async def take(write: Bare, ad_id: AdIdPath) -> Response:
        if name in SHOWS:
            require_mail(write.state, write.caller, MailRequired.POST)
        ad = _ad(write, ad_id)
        return await write.answer(
            lambda _, expected: ad.take(name, expected), require=ad.require_owned
        )

    mail = "; some sites require a confirmed mail address" if name in SHOWS else ""
    take.__doc__ = f"{description} Returns the ad as lists show it.\n\n{WHO.format(mail=mail)}"
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


_add("publish", "Publish an ad", "Makes a draft, or a withdrawn or expired ad, active.")
_add("reserve", "Reserve an ad", "Marks an active ad as reserved. Everyone still sees it.")
_add("release", "End the reservation of an ad", "Makes a reserved ad active again.")


@write_route(
    router,
    "POST",
    "/sell",
    takes_key=True,
    operation_id="sellAd",
    summary="Mark an ad as sold",
    response_model=Ad,
    responses=written_responses()
    | refusals(*REFUSALS, ContentTooLargeError, UnsupportedMediaTypeError),
)
async def sell_ad(
    write: Annotated[Write[Sale], Depends(JsonWrite(Sale, required=False, adds_text=False))],
    ad_id: AdIdPath,
) -> Response:
    """Marks an active or reserved ad as sold, and returns it. It cannot be published again.

    The author and administrators may. The body is optional: its `price` becomes the ad's. From
    another status it is refused with 409. Counts towards the account's limit on changes.
    """
    ad = _ad(write, ad_id)
    return await write.answer(ad.sell, require=ad.require_owned)


_add("withdraw", "Withdraw an ad", "Takes an ad out of all lists until it is published again.")
_add("renew", "Renew an ad", "Shows an active or expired ad for the full time again.")
