"""Logins: their sessions, and a mail about those from a network or a device that is new."""

import re

from adsvc.addresses import client_network, wider_networks
from adsvc.bulkheads.rate_limits import Limit, count
from adsvc.db.database import Transaction
from adsvc.models import User
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import sign_ins as sign_in_rows
from adsvc.repositories.accounts.sessions import FactorAt
from adsvc.repositories.accounts.sign_ins import seen
from adsvc.schemas.auth import TokenPair
from adsvc.security.credentials import AccessTokens
from adsvc.services.accounts import sessions
from adsvc.services.mail import rendering
from adsvc.services.rate_limits import try_take
from adsvc.settings import Settings

BROWSERS = re.compile(r"(Firefox|Edg|OPR|Chrome|Safari)/")
SYSTEMS = re.compile(r"Windows|Android|iPhone|iPad|Mac OS X|Linux(?!; Android)")
NAMES = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}
# A browser that stands for another one names that one first.
LAST_FIRST = ("OPR", "Edg")
DEVICE_MAX_LENGTH = 60


def network_of(address: str) -> str:
    """The network that a login is known by: an address of one's own may change every day."""
    return next(reversed(wider_networks(address)), client_network(address))


def device_of(user_agent: str) -> str:
    """Browser and system of a `User-Agent` (RFC 9110 §10.1.5), else the name of its program.

    Without versions, which change by themselves.
    """
    browsers = BROWSERS.findall(user_agent)
    if not browsers:
        program = "".join(filter(str.isprintable, user_agent)).partition("/")[0]
        return program[:DEVICE_MAX_LENGTH].strip()
    browser = next((each for each in LAST_FIRST if each in browsers), browsers[0])
    found = [browser, *SYSTEMS.findall(user_agent)[:1]]
    return ", ".join(NAMES.get(name, name) for name in found)


async def begin(
    transaction: Transaction,
    tokens: AccessTokens,
    settings: Settings,
    user: User,
    *,
    user_agent: str,
    address: str,
    factor_at: FactorAt = None,
) -> TokenPair:
    """The session of a login, as `sessions.begin`.

    The owner gets a mail if neither a login nor a session of the last 90 days was from there. The
    first login of an account is no news.
    """
    database, network, device = transaction.database, network_of(address), device_of(user_agent)
    # Read and counted before the session begins, because both take another connection.
    digest = sessions.network_digest(settings, user.id, address)
    known = await seen(database.writer, user.id, network, device, digest)
    is_news = not known.is_first and not (known.knows_network and known.knows_device)
    if is_news:
        is_news = await try_take(database, settings, count(Limit.MAILS_ABOUT_LOGINS, user.id))
    pair = await sessions.begin(
        transaction,
        tokens,
        settings,
        user,
        user_agent=user_agent,
        address=address,
        factor_at=factor_at,
    )
    await sign_in_rows.note(transaction, user.id, network, device)
    if is_news:
        letter = rendering.new_sign_in(user.id, network, device)
        await outbox_rows.add(transaction, letter)
    return pair
