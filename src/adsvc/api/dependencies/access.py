"""Access: finds what a path names, and refuses callers who may not see or change it.

Endpoints declare these functions as their `access`. Each takes the caller, the state, and the ids
of the path. Those named `may_…` repeat what the statement of a `one_statement` endpoint checks; the
others return the thing.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.calls import (
    AnyCaller,
    CallerWithAccount,
    require_scope,
)
from adsvc.api.input.parameters import (
    AdIdPath,
    CaseIdPath,
    CommentIdPath,
    DecisionIdPath,
    DeliveryIdPath,
    ExternalIdPath,
    ImageIdPath,
    SearchIdPath,
    UserIdPath,
    WebhookIdPath,
)
from adsvc.kit.db.statements import Row
from adsvc.models.ads import SHOWN, Ad
from adsvc.models.webhooks import Webhook
from adsvc.repositories import following
from adsvc.repositories import images as image_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import is_author_or_admin
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.moderation import cases, decisions
from adsvc.services import comments, webhooks
from adsvc.services.ads import listing, writing
from adsvc.services.comments import CommentAccess
from adsvc.services.images import IMAGE_NOT_FOUND
from adsvc.services.moderation.decisions import require_competent, require_may_undo
from adsvc.settings import AdEditors

Refusals = tuple[type[errors.RefusalError], ...]

Checked = TypeVar("Checked", bound=Callable[..., Any])

_refusals: dict[Callable[..., Any], Refusals] = {}


def refuses(*kinds: type[errors.RefusalError]) -> Callable[[Checked], Checked]:
    """Declares for the OpenAPI document which refusals an access function raises."""

    def declare(function: Checked) -> Checked:
        _refusals[function] = kinds
        return function

    return declare


def refusals_of(access: Callable[..., Any] | None) -> Refusals:
    return () if access is None else _refusals[access]


async def _ad(state: AppState, ad_id: int) -> Ad:
    async with state.database.autocommit() as session:
        ad = await ad_rows.get(session, ad_id)
    if ad is None:
        raise errors.AdNotFoundError
    return ad


@refuses()
async def own_external_id(_: CallerWithAccount, __: AppState, external_id: ExternalIdPath) -> str:
    """Any id: each account has its own."""
    return external_id


@refuses(errors.AdNotFoundError, errors.AdGoneError)
async def shown_ad(caller: CallerWithAccount, state: AppState, ad_id: AdIdPath) -> Ad:
    """The ad, if it is shown, or the caller is its author or an administrator."""
    ad = await _ad(state, ad_id)
    if ad.current_status not in SHOWN and not is_author_or_admin(caller.user, ad):
        listing.raise_hidden(ad.current_status)
    return ad


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.ForbiddenError)
async def owned_ad(caller: CallerWithAccount, state: AppState, ad_id: AdIdPath) -> Ad:
    """The ad, if the caller is its author or an administrator."""
    # A 403 would reveal an ad that the caller cannot see.
    ad = await shown_ad(caller, state, ad_id)
    if not is_author_or_admin(caller.user, ad):
        raise errors.ForbiddenError
    return ad


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.ForbiddenError)
async def editable_ad(caller: CallerWithAccount, state: AppState, ad_id: AdIdPath) -> Ad:
    """As `owned_ad`; if the operator lets every account edit every ad, as `shown_ad`."""
    ad = await shown_ad(caller, state, ad_id)
    everybody = state.settings.ad_editors is AdEditors.AUTHENTICATED and ad.current_status in SHOWN
    if not (everybody or is_author_or_admin(caller.user, ad)):
        raise errors.ForbiddenError
    return ad


class ImageOfAd(NamedTuple):
    ad: Ad
    id: int


@refuses(
    errors.AdNotFoundError, errors.AdGoneError, errors.ForbiddenError, errors.ImageNotFoundError
)
async def owned_ad_image(
    caller: CallerWithAccount, state: AppState, ad_id: AdIdPath, image_id: ImageIdPath
) -> ImageOfAd:
    """The picture, if it belongs to the ad, and the caller is its author or an administrator."""
    ad = await shown_ad(caller, state, ad_id)
    async with state.database.autocommit() as session:
        if not await image_rows.exists(session, ad.id, image_id):
            raise errors.ImageNotFoundError(IMAGE_NOT_FOUND)
    if not is_author_or_admin(caller.user, ad):
        raise errors.ForbiddenError
    return ImageOfAd(ad, image_id)


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.ForbiddenError)
async def may_edit_ad(caller: AnyCaller, state: AppState, ad_id: AdIdPath) -> None:
    """As the statement of the change checks it."""
    everybody = state.settings.ad_editors is AdEditors.AUTHENTICATED
    await writing.require_access(state.database, caller, ad_id, everybody=everybody)


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.ForbiddenError)
async def may_change_ad(caller: AnyCaller, state: AppState, ad_id: AdIdPath) -> None:
    """As the statements of deletion and of steps check it."""
    await writing.require_access(state.database, caller, ad_id)


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.BlockedError)
async def may_comment(caller: AnyCaller, state: AppState, ad_id: AdIdPath) -> None:
    """As the statement of the new comment checks it."""
    await comments.require_ad(state.database, caller, ad_id)


@refuses(
    errors.AdNotFoundError, errors.AdGoneError, errors.CommentNotFoundError, errors.ForbiddenError
)
async def may_delete_comment(
    caller: AnyCaller, state: AppState, ad_id: AdIdPath, comment_id: CommentIdPath
) -> None:
    """As the statement of the deletion checks it."""
    await CommentAccess(state.database, caller, ad_id, comment_id).require_deletable()


@refuses(
    errors.AdNotFoundError,
    errors.AdGoneError,
    errors.CommentNotFoundError,
    errors.ForbiddenError,
    errors.BlockedError,
)
async def may_change_comment(
    caller: AnyCaller, state: AppState, ad_id: AdIdPath, comment_id: CommentIdPath
) -> None:
    """As the statement of the change checks it."""
    await CommentAccess(state.database, caller, ad_id, comment_id).require_owned()


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.OwnThingError)
async def reportable_ad(caller: CallerWithAccount, state: AppState, ad_id: AdIdPath) -> int:
    """The id of an ad that the caller sees, and that another account has posted."""
    ad = await shown_ad(caller, state, ad_id)
    if ad.author_id == caller.user.id:
        raise errors.OwnThingError
    return ad.id


@refuses(
    errors.AdNotFoundError, errors.AdGoneError, errors.CommentNotFoundError, errors.OwnThingError
)
async def reportable_comment(
    caller: CallerWithAccount, state: AppState, ad_id: AdIdPath, comment_id: CommentIdPath
) -> int:
    """The id of a comment that the caller sees, and that another account has written."""
    if await CommentAccess(state.database, caller, ad_id, comment_id).is_own():
        raise errors.OwnThingError
    return comment_id


@refuses(errors.CaseNotFoundError, errors.OwnCaseError)
async def existing_case(caller: CallerWithAccount, state: AppState, case_id: CaseIdPath) -> Row:
    """For moderators, except cases about what they wrote: a case says who has reported it."""
    async with state.database.autocommit() as session:
        case = await cases.get(session, case_id)
    if case is None:
        raise errors.CaseNotFoundError
    if case["author_id"] == caller.user.id:
        raise errors.OwnCaseError
    return case


@refuses(errors.CaseNotFoundError, errors.ForbiddenError)
async def case_to_decide(caller: CallerWithAccount, state: AppState, case_id: CaseIdPath) -> Row:
    """An existing case, if the caller may decide about its author."""
    case = await existing_case(caller, state, case_id)
    await require_competent(state.database.reader, caller.user, case["author_id"])
    return case


async def _decision(state: AppState, decision_id: int) -> Row:
    async with state.database.autocommit() as session:
        decision = await decisions.get(session, decision_id)
    if decision is None:
        raise errors.DecisionNotFoundError
    return decision


@refuses(errors.DecisionNotFoundError, errors.ForbiddenError)
async def decision_to_undo(
    caller: CallerWithAccount, state: AppState, decision_id: DecisionIdPath
) -> Row:
    decision = await _decision(state, decision_id)
    await require_may_undo(state.database.reader, caller.user, decision)
    return decision


@refuses(errors.DecisionNotFoundError)
async def own_decision(
    caller: CallerWithAccount, state: AppState, decision_id: DecisionIdPath
) -> Row:
    """A decision that concerns the caller."""
    decision = await _decision(state, decision_id)
    if decision["user_id"] != caller.user.id:
        raise errors.DecisionNotFoundError
    return decision


@refuses(errors.AccountNotFoundError)
async def existing_account(_: CallerWithAccount, state: AppState, user_id: UserIdPath) -> Row:
    """For administrators."""
    async with state.database.autocommit() as session:
        account = await user_rows.described(session, user_id)
    if account is None:
        raise errors.AccountNotFoundError
    return account


@refuses(errors.AccountNotFoundError, errors.ForbiddenError)
async def other_account(caller: CallerWithAccount, state: AppState, user_id: UserIdPath) -> Row:
    """An account that is not the administrator's own."""
    account = await existing_account(caller, state, user_id)
    await require_competent(state.database.reader, caller.user, account["id"])
    return account


@refuses(errors.SearchNotFoundError)
async def own_search(caller: CallerWithAccount, state: AppState, search_id: SearchIdPath) -> int:
    """Its id."""
    if not await following.list_of_user(state.database.reader, caller.user.id, search_id):
        raise errors.SearchNotFoundError
    return search_id


class DeliveryAddress(NamedTuple):
    webhook: Webhook
    id: int


async def _webhook(state: AppState, webhook_id: int, owner_id: int | None) -> Webhook:
    async with state.database.autocommit() as session:
        webhook = await webhooks.existing(session, webhook_id)
    if webhook.owner_id != owner_id:
        raise errors.WebhookNotFoundError
    return webhook


@refuses(errors.WebhookNotFoundError)
async def site_webhook(_: CallerWithAccount, state: AppState, webhook_id: WebhookIdPath) -> Webhook:
    """For administrators."""
    return await _webhook(state, webhook_id, None)


@refuses(errors.WebhookNotFoundError, errors.DeliveryNotFoundError)
async def site_delivery(
    _: CallerWithAccount, state: AppState, webhook_id: WebhookIdPath, delivery_id: DeliveryIdPath
) -> DeliveryAddress:
    """For administrators. Whether there is such a delivery, its change shows."""
    return DeliveryAddress(await _webhook(state, webhook_id, None), delivery_id)


@refuses(errors.WebhookNotFoundError)
async def own_webhook(
    caller: CallerWithAccount, state: AppState, webhook_id: WebhookIdPath
) -> Webhook:
    """One of the caller's account. A key needs the scopes of its types."""
    webhook = await _webhook(state, webhook_id, caller.user_id)
    require_types(caller, webhook.types)
    return webhook


@refuses(errors.WebhookNotFoundError, errors.DeliveryNotFoundError)
async def own_delivery(
    caller: CallerWithAccount,
    state: AppState,
    webhook_id: WebhookIdPath,
    delivery_id: DeliveryIdPath,
) -> DeliveryAddress:
    """As `own_webhook` and `site_delivery`."""
    return DeliveryAddress(await own_webhook(caller, state, webhook_id), delivery_id)


def require_types(caller: CallerWithAccount, types: Sequence[str]) -> None:
    """`InsufficientScopeError` for a key that may not read what an account is sent by the types."""
    for scope in sorted({webhooks.OWN_TYPES[kind] for kind in types if kind in webhooks.OWN_TYPES}):
        require_scope(caller, scope)
