"""The site as visitors reach it, by its public address."""

import asyncio
import os
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from adsvc.addresses import PROXY_HEADER
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.services import installation
from adsvc.settings import Settings
from adsvc_ops.doctor.findings import Finding, Installation, fault, ok, warning

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


# Any of them says where credentials of an S3 come from.
CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
NO_CREDENTIALS = (
    "No credentials are in the environment, such as AWS_ACCESS_KEY_ID, where alone they are looked "
    "for: never in .env. Without them the machine needs a role."
)
MAKE = (
    "Make the bucket, or correct its name in ADSVC_IMAGE_STORE, ADSVC_S3_ENDPOINT and "
    "ADSVC_S3_REGION: a bucket is in one region."
)
COMPARE = "Compare AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY with those of the bucket's operator."
ALLOW = (
    "Let these credentials do s3:ListBucket on the bucket and s3:GetObject, s3:PutObject and "
    "s3:DeleteObject on what is in it. Are they those of this bucket?"
)
# Whatever an S3 says with one of the codes: what it means, and what to do. The first that fits.
MEANINGS = (
    (("NoSuchBucket",), "there is no such bucket", MAKE),
    (
        ("InvalidAccessKeyId", "XAdminUserNotFound", "SignatureDoesNotMatch", "401 Unauthorized"),
        "the credentials do not count there",
        COMPARE,
    ),
    (("RequestTimeTooSkewed",), "the clocks of this machine and the S3 are apart", "Use NTP."),
    (("AccessDenied",), "it is forbidden (403)", ALLOW),
)


async def owner(it: Installation) -> list[Finding]:
    try:
        difference = await installation.mismatch(it.database, it.store)
        if difference is not None:
            return [fault(difference, "Compare the settings with those of the other nodes.")]
        if await it.store.owner() is not None:
            return [ok(f"{it.store.location} belongs to the database.")]
        await installation.require_kinship(it.database, it.store)
    except ImageStoreUnavailableError as error:
        return [_unavailable(it, "Whose the store is cannot be read", error)]
    except OperatorError as error:
        advice = "Compare bucket, prefix or directory with those of the other nodes."
        return [fault(str(error), advice)]
    seen = f"{it.store.location} bears no installation's id."
    return [warning(seen, "The first start of the service writes it. Is it mounted?")]


async def use(it: Installation) -> list[Finding]:
    """Stores a picture and deletes it again."""
    try:
        await it.store.check()
    except ImageStoreUnavailableError as error:
        return [_unavailable(it, "No picture can be stored", error)]
    return [ok("A picture was stored and deleted.")]


def _unavailable(it: Installation, seen: str, error: ImageStoreUnavailableError) -> Finding:
    told = str(error.__cause__ or error.detail)
    if it.store.directory is not None:
        return fault(f"{seen}: {told}", "Look at its disk and permissions.")
    for codes, meaning, advice in MEANINGS:
        if any(code in told for code in codes):
            return fault(f"{seen}: {meaning}. {told}", advice)
    if not any(map(os.environ.get, CREDENTIALS)):
        return fault(f"{seen}: {told}", NO_CREDENTIALS)
    return fault(f"{seen}: {told}", "Look at its address: is it reached from this machine?")
