"""Where logins come from, and a mail about those from a network or a device that is new."""

import re
from typing import NamedTuple

from adsvc.addresses import client_network, wider_networks
from adsvc.bulkheads.rate_limits import Limit, attempts_by
from adsvc.db.database import Transaction
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import sign_ins as sign_in_rows
from adsvc.repositories.accounts.sign_ins import seen
from adsvc.services.accounts.requests import ClientRequest
from adsvc.services.mail import rendering
from adsvc.services.rate_limits import try_take

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


class SignInPlace(NamedTuple):
    network: str
    device: str
    # Whether the owner gets a mail about it.
    is_news: bool


async def examine(request: ClientRequest, user_id: int, network_hash: bytes) -> SignInPlace:
    """It is news if neither a login nor a session of the last 90 days was from there.

    The first login of an account is no news.
    """
    database = request.transaction.database
    network, device = network_of(request.address), device_of(request.user_agent)
    known = await seen(database.writer, user_id, network, device, network_hash)
    is_news = not known.is_first and not (known.knows_network and known.knows_device)
    if is_news:
        notice = attempts_by(Limit.MAILS_ABOUT_LOGINS, user_id)
        is_news = await try_take(database, request.settings, notice)
    return SignInPlace(network, device, is_news)


async def record(transaction: Transaction, user_id: int, sign_in: SignInPlace) -> None:
    network, device, is_news = sign_in
    await sign_in_rows.note(transaction, user_id, network, device)
    if is_news:
        await outbox_rows.add(transaction, rendering.new_sign_in(user_id, network, device))
