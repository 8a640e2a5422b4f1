"""The site as visitors reach it, by its public address."""

import asyncio
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from adsvc.addresses import PROXY_HEADER
from adsvc.services.doctor.findings import Finding, Installation, fault, ok, warning
from adsvc.settings import Settings

SECONDS = 5.0
# `Date` has whole seconds, and an answer takes its time.
CLOCK_SECONDS = 5.0
HTTP_PORT = 80


def is_for_this_machine(settings: Settings) -> bool:
    """Nobody else reaches the service, unless by a proxy that no setting tells of."""
    return settings.site_url is None and settings.host in {"127.0.0.1", "::1", "localhost"}


async def proxy(it: Installation) -> list[Finding]:
    """Every answer to a request that came by TLS says so, if the proxy is believed."""
    address = it.settings.site_url
    if address is None:
        if is_for_this_machine(it.settings):
            return [ok("There is no ADSVC_SITE_URL, and only this machine reaches the service.")]
        advice = "Set it, or pages and feeds name whatever host a request names."
        return [warning("ADSVC_SITE_URL is not set.", advice, "address")]
    try:
        headers = await asyncio.to_thread(_ask, f"{address}/livez")
    except (OSError, ValueError) as error:
        advice = "Is it the address of this site, and can this machine reach it?"
        return [warning(f"{address} does not answer: {error}", advice, "address")]
    if "x-request-id" not in headers:
        advice = "Set ADSVC_SITE_URL to where visitors find the site."
        return [fault(f"What answers at {address} is not adsvc.", advice, "address")]
    found = [_trust(it, address, headers), _clock(headers)]
    if not address.startswith("https://"):
        advice = "Have a proxy with TLS before the service."
        found.append(warning(f"{address} is not encrypted.", advice, "tls"))
    return found


def _trust(it: Installation, address: str, headers: Message) -> Finding:
    """All clients count as one where the addresses that a proxy tells are not believed."""
    secure = address.startswith("https://")
    told = headers.get(PROXY_HEADER) is not None
    if told and (not secure or "strict-transport-security" in headers):
        return ok(f"{address} answers, and the proxy is believed.")
    advice = (
        "Have the proxy send X-Forwarded-For and X-Forwarded-Proto, and set "
        "ADSVC_TRUSTED_PROXIES to the address that it connects from."
    )
    if told:
        seen = "The service does not learn that its visitors come by https."
        return fault(seen, advice, "trust")
    if it.settings.trusted_proxies:
        seen = "The service does not learn the addresses of its visitors: all count as one."
        return fault(seen, advice, "trust")
    if secure:
        seen = "A proxy ends TLS, and none is trusted: all visitors count as one."
        return fault(seen, advice, "trust")
    if (urlsplit(address).port or HTTP_PORT) != it.settings.port:
        seen = f"{address} is another port: if a proxy forwards, all visitors count as one."
        return warning(seen, advice, "trust")
    return ok(f"{address} answers, without a proxy.")


def _clock(headers: Message) -> Finding:
    try:
        theirs = parsedate_to_datetime(headers["date"])
    except (TypeError, ValueError):
        return ok("The site does not tell its time.")
    off = abs((datetime.now(UTC) - theirs).total_seconds())
    if off > CLOCK_SECONDS:
        seen = f"The site's clock and this one are {off:.0f} s apart."
        return warning(seen, "Use NTP on both.", "clock")
    return ok("The site's clock and this one agree.")


def _ask(address: str) -> Message:
    # The setting is an address that begins with http:// or https://.
    request = Request(address, headers={"User-Agent": "adsvc doctor"})  # noqa: S310
    try:
        with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            headers: Message = answer.headers
    except HTTPError as error:
        headers = error.headers
    return headers
