"""Notifications: in which ways accounts want them, and how they end those by mail."""

from collections.abc import Mapping
from typing import Any

from adsvc.enums import NotificationType
from adsvc.errors import UnauthenticatedError
from adsvc.kit.db.database import DatabaseSession, Transaction
from adsvc.kit.security.tokens import Purpose
from adsvc.repositories import notifications as notification_rows
from adsvc.repositories import searches as saved_search_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.notifications import DEFAULT_WAYS, TEXT, WAYS
from adsvc.schemas.notifications import Preferences, UpdatePreferences
from adsvc.services.installation import signed_links
from adsvc.settings import Settings

# The kind of mails about one saved search, before its id.
SEARCH = "search:"
# All kinds at once, as a digest has them.
ALL_NOTICES = "all"

NO_DATA: Mapping[str, Any] = {}


async def unsubscribe(transaction: Transaction, token: str) -> None:
    """Nothing if the token is none, or if the account is gone."""
    links = await signed_links(transaction, Purpose.UNSUBSCRIBE)
    meant = links.read(token)
    if meant is None:
        return
    user_id, kind = meant
    if kind in set(NotificationType):
        await _choose(transaction, user_id, {kind: {"mail": False}})
    elif kind == ALL_NOTICES:
        await _choose(transaction, user_id, {each: {"mail": False} for each in NotificationType})
    elif kind.startswith(SEARCH):
        search_id = int(kind.removeprefix(SEARCH))
        await saved_search_rows.silence(transaction, user_id, search_id)


def notice_values(
    kind: str,
    title: str | None,
    settings: Settings,
    language: str,
    data: Mapping[str, Any] = NO_DATA,
    **about: object,
) -> dict[str, object]:
    """The values of the letter about a notification, with those of what it is about."""
    return {
        "type": kind,
        "title": title,
        "price_from": settings.money.text(data.get("from") or 0, language),
        "price_to": settings.money.text(data.get("to") or 0, language),
        **about,
    }


async def preferences(session: DatabaseSession, user: CallerAccount) -> Preferences:
    return _record(await notification_rows.ways(session, user.id))


async def choose(
    transaction: Transaction, user: CallerAccount, sent: UpdatePreferences
) -> Preferences:
    chosen = sent.model_dump(by_alias=True, exclude_unset=True)
    ways = await _choose(transaction, user.id, chosen)
    if ways is None:
        raise UnauthenticatedError
    return _record(ways)


async def _choose(
    transaction: Transaction, user_id: int, chosen: Mapping[str, Mapping[str, bool]]
) -> Mapping[str, Mapping[str, bool]] | None:
    """All that the account has chosen; None if it is gone."""
    if await user_rows.lock(transaction, user_id) is None:
        return None
    ways = await notification_rows.ways(transaction, user_id)
    for kind, new in chosen.items():
        ways[kind] = {**ways.get(kind, {}), **new}
    await notification_rows.set_ways(transaction, user_id, ways)
    return ways


def _record(chosen: Mapping[str, Mapping[str, bool]]) -> Preferences:
    return Preferences.model_validate(
        {
            kind: {way: way in DEFAULT_WAYS[kind] for way in (*WAYS, TEXT)}
            | dict(chosen.get(kind, {}))
            for kind in NotificationType
        }
    )
