"""Operations for the steps of an ad's status."""

from functools import partial

from fastapi import APIRouter

from adsvc.api.dependencies.access import may_change_ad
from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.errors import IllegalTransitionError
from adsvc.models import KeyScope
from adsvc.schemas.ads import Ad, Sale
from adsvc.services.ads.lifecycle import publish, take_step
from adsvc.services.ads.writing import AdWrite
from adsvc.settings import MailRequired
from adsvc.versions import Written

router = APIRouter(prefix="/ads/{id:ad_id}", tags=["ads"])

NO_SALE = Sale()

# The end of every step's description.
WHO = (
    "The author and administrators may{mail}. If the ad's status does not allow the step, it is "
    "refused with 409. Counts towards the account's limit on changes."
)

step = partial(
    Endpoint,
    router,
    "POST",
    response_model=Ad,
    requires=KeyScope.ADS_WRITE,
    access=may_change_ad,
    version=True,
    takes_key=True,
    one_statement=True,
    refused_with=(IllegalTransitionError,),
)


async def _take(
    call: Call[None] | Call[Sale], ad_id: int, name: str, sale: Sale = NO_SALE
) -> Written:
    return await take_step(
        call.statement,
        call.caller,
        ad_id,
        name,
        call.expected,
        days=call.state.settings.ad_days,
        price=sale.price,
        buyer=sale.buyer,
    )


def _add(name: str, summary: str, description: str) -> None:
    async def take(call: Call[None], ad_id: int) -> Written:
        return await _take(call, ad_id, name)

    # It makes an ad public, as `publish` does: the site may require a confirmed mail address.
    is_renewal = name == "renew"
    mail = "; some sites require a confirmed mail address" if is_renewal else ""
    take.__doc__ = f"{description} Returns the ad as lists show it.\n\n{WHO.format(mail=mail)}"
    needs_mail = MailRequired.POST if is_renewal else None
    step(f"/{name}", operation_id=f"{name}Ad", summary=summary, needs_mail=needs_mail)(take)


@step(
    "/publish",
    summary="Publish an ad",
    needs_mail=MailRequired.POST,
)
async def publish_ad(call: Call[None], ad_id: int) -> Written:
    """Makes a draft, or a withdrawn or expired ad, active. Returns the ad as lists show it.

    The author and administrators may; some sites require a confirmed mail address. A draft has to
    be complete: all that is missing or wrong is refused with 400 at its member. If the ad's status
    does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
    """
    state = call.state
    ad = AdWrite(state.database, state.settings, call.caller, ad_id, state.categories)
    return await publish(call.statement, ad, call.expected)


_add("reserve", "Reserve an ad", "Marks an active ad as reserved. Everyone still sees it.")
_add("release", "End the reservation of an ad", "Makes a reserved ad active again.")


@step(
    "/sell",
    summary="Mark an ad as sold",
    body=Json(Sale, required=False, adds_text=False),
)
async def sell_ad(call: Call[Sale], ad_id: int) -> Written:
    """Marks an active or reserved ad as sold, and returns it. It cannot be published again.

    The author and administrators may. The body is optional: its `price` becomes the ad's, and its
    `buyer`, who has talked about the ad, gets a notice in that conversation. From another status it
    is refused with 409. Counts towards the account's limit on changes.
    """
    return await _take(call, ad_id, "sell", call.content)


_add("withdraw", "Withdraw an ad", "Takes an ad out of all lists until it is published again.")
_add("renew", "Renew an ad", "Shows an active or expired ad for the full time again.")
