"""The steps of an ad's status. The last one, expiry, is a regular job."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from adsvc import errors
from adsvc.enums import AdStatus, AuditKind
from adsvc.invalidation import InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.records import Expected, Written
from adsvc.kit.storage import ImageStore
from adsvc.repositories.accounts.callers import Caller
from adsvc.repositories.ads import lifecycle as lifecycle_rows
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.ads.lifecycle import EXPIRY, LifecycleStep
from adsvc.repositories.conversation_changes import DEAL_AND_NOTICE, SELECT_BUYER
from adsvc.services import audit
from adsvc.services.ads.writing import (
    ATTEMPTS,
    AdWrite,
    appeared_or_disappeared,
    refuse_overtaken,
    require_access,
    require_complete,
    require_permitted,
    require_room,
)
from adsvc.services.picture_deletion import withdraw_pictures

DRAFT, ACTIVE, RESERVED = AdStatus.DRAFT, AdStatus.ACTIVE, AdStatus.RESERVED

SOLD, WITHDRAWN, EXPIRED = AdStatus.SOLD, AdStatus.WITHDRAWN, AdStatus.EXPIRED

ANEW = (("expires_at", EXPIRY),)
NEVER = (("expires_at", "NULL"),)
SALE = (("sold_at", "now()"), ("price", "coalesce({price}::int, found.price)"))

# By the names of their operations.
STEPS = {
    "publish": LifecycleStep("published", (DRAFT, WITHDRAWN, EXPIRED), ACTIVE, ANEW),
    "reserve": LifecycleStep("reserved", (ACTIVE,), RESERVED),
    "release": LifecycleStep("released", (RESERVED,), ACTIVE),
    "sell": LifecycleStep("sold", (ACTIVE, RESERVED), SOLD, (*NEVER, *SALE)),
    "withdraw": LifecycleStep("withdrawn", (DRAFT, ACTIVE, RESERVED, EXPIRED), WITHDRAWN, NEVER),
    "renew": LifecycleStep("renewed", (ACTIVE, EXPIRED), ACTIVE, ANEW),
}

# To an account that has talked about the ad.
SALE_TO_BUYER = replace(STEPS["sell"], needs=SELECT_BUYER, writes=DEAL_AND_NOTICE)

# If the ad has not changed since it was validated.
AS_VALIDATED = replace(
    STEPS["publish"], needs="SELECT FROM before WHERE revision = {needed}::bigint"
)

# How often expired ads are looked for.
PERIOD_SECONDS = 0.5

# So few that an author who changes one of them at the same time notices no delay.
BATCH = 200

PAUSE_SECONDS = 0.05


def steps_from(status: AdStatus) -> Sequence[str]:
    return [name for name, step in STEPS.items() if status in step.sources]


async def take_step(
    statement: SingleStatement | Transaction,
    caller: Caller,
    ad_id: int,
    name: str,
    expected: Expected,
    *,
    days: int,
    price: int | None = None,
    buyer: int | None = None,
) -> Written:
    """Returns the ad as `schemas.ads.Ad`. Of two steps at once one is refused.

    The expected version is checked before the status. An ad that is shown again is shown for
    `days`; 0 means without end.
    """
    step = STEPS[name] if buyer is None else SALE_TO_BUYER
    written = await _taken(
        statement, caller, ad_id, name, step, expected, days=days, price=price, needed=buyer
    )
    if written is None:
        unknown = faults.unknown("is no account that has talked about this ad")
        raise errors.InvalidRequestError(unknown.at("/buyer"))
    return written


async def publish(statement: SingleStatement, ad: AdWrite, expected: Expected) -> Written:
    """As `take_step`. What was never shown may be unfinished, and is validated as a new ad is."""
    days = ad.settings.ad_days
    if any(limits.ads is not None for limits in ad.settings.plan_limits.values()):
        await require_access(ad.database, ad.caller, ad.ad_id)
        plan, shown = await ad_rows.plan_of_author(ad.database.reader, ad.ad_id)
        require_room(ad.settings.limits_of(plan).ads, shown)
    for _ in range(ATTEMPTS):
        await require_access(ad.database, ad.caller, ad.ad_id)
        unfinished = await ad_rows.unfinished(ad.database.reader, ad.ad_id)
        if unfinished is None:
            return await take_step(statement, ad.caller, ad.ad_id, "publish", expected, days=days)
        await ad.require_expected(expected)
        await require_complete(unfinished, ad.settings, ad.categories)
        written = await _taken(
            statement,
            ad.caller,
            ad.ad_id,
            "publish",
            AS_VALIDATED,
            expected,
            days=days,
            needed=unfinished.revision,
        )
        if written is not None:
            return written
    raise errors.OverloadedError


async def _taken(
    statement: SingleStatement | Transaction,
    caller: Caller,
    ad_id: int,
    name: str,
    step: LifecycleStep,
    expected: Expected,
    *,
    days: int,
    price: int | None = None,
    needed: int | None = None,
) -> Written | None:
    """None if there is not what the step needs."""
    event = AuditKind.FOREIGN_AD_CHANGED
    # In case its outcome remains unknown.
    statement.announce(InvalidationKind.AD, ad_id)
    taken = await lifecycle_rows.take(
        statement,
        caller,
        ad_id,
        step,
        audit.trail(event),
        days=days,
        price=price,
        needed=needed,
        expected=expected,
    )
    require_permitted(taken.access)
    if taken.source is None or taken.owner_id is None:
        # Deleted a moment ago.
        raise errors.AdNotFoundError
    if not taken.is_expected:
        await refuse_overtaken(statement, caller, ad_id, expected)
    allowed = steps_from(taken.source)
    if taken.written is None and (name not in allowed or taken.has_needed):
        raise errors.IllegalTransitionError(taken.source, allowed)
    if taken.written is None:
        return None
    statement.announce_change(
        appeared_or_disappeared(ad_id, taken.owner_id, taken.category_id).invalidation
    )
    audit.log_foreign(statement, event, caller.user_id, taken.owner_id, ad_id=ad_id)
    return taken.written


async def delete(
    statement: SingleStatement,
    store: ImageStore,
    caller: Caller,
    ad_id: int,
    expected: Expected,
    *,
    days: int,
) -> None:
    """Deletes the ad with its comments; for so many days that can be undone."""
    event = AuditKind.FOREIGN_AD_DELETED
    statement.announce(InvalidationKind.AD, ad_id)
    deleted = await ad_rows.delete_ad(
        statement, caller, ad_id, audit.trail(event), days=days, expected=expected
    )
    require_permitted(deleted.access)
    if deleted.images is None or deleted.owner_id is None:
        await refuse_overtaken(statement, caller, ad_id, expected)
    statement.announce_change(
        appeared_or_disappeared(ad_id, deleted.owner_id, deleted.category_id).invalidation
    )
    audit.log_foreign(statement, event, caller.user_id, deleted.owner_id, ad_id=ad_id)
    withdraw_pictures(statement, store, deleted.images, days=days)


async def mark_expired(database: Database) -> int:
    """Marks all ads that have expired, a few at a time, and returns how many there were.

    One process at a time does it. Only counts and caches depend on the mark: queries for what is
    shown compare the time of expiry.
    """
    total = marked = await lifecycle_rows.mark_expired(database.writer, BATCH)
    while marked == BATCH:
        await asyncio.sleep(PAUSE_SECONDS)
        marked = await lifecycle_rows.mark_expired(database.writer, BATCH)
        total += marked
    return total
