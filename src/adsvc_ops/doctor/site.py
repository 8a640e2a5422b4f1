"""The site as visitors reach it, by its public address."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from adsvc.addresses import PROXY_HEADER
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.repositories import JobRepository
from adsvc.repositories.outbox import OutboxWorkRepository
from adsvc.services import installation
from adsvc.services.mail.transports import ProbeError, Step, probe
from adsvc.settings import Jobs, MailRequired, Settings
from adsvc.settings.mail import SmtpServer, sender_address, smtp_server
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
    address += it.settings.root_path
    try:
        headers = await asyncio.to_thread(_ask, f"{address}/livez")
    except (OSError, ValueError) as error:
        advice = "Is it the address of this site, and can this machine reach it?"
        return [warning(f"{address} does not answer: {error}", advice, "address")]
    if "x-request-id" not in headers:
        advice = "Set ADSVC_SITE_URL, and ADSVC_ROOT_PATH, to where visitors find the site."
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


# For each step. A server that is slower now and then is none to be told of.
SECONDS_OF_MAIL = 10.0
# Jobs that run all the time say so once a minute.
RECENT = timedelta(minutes=15)
# RFC 2606 keeps them for examples.
EXAMPLES = ("example.com", "example.net", "example.org", "example")

CONNECT = (
    "Compare host and port with what the server's operator says, and see whether a firewall lets "
    "this machine out to it."
)
STARTTLS = (
    "Name the server as its certificate does, and on a port with STARTTLS, mostly 587; where TLS "
    "begins at once, mostly on 465, write smtps://. No mail goes out unencrypted."
)
TLS = (
    "Name the server as its certificate does, and on a port where TLS begins at once, mostly 465; "
    "for STARTTLS, mostly on 587, write smtp://. No mail goes out unencrypted."
)
LOGIN = (
    "Compare user and password in ADSVC_SMTP_URL with what the server's operator says; in it @ is "
    "written %40, / %2F, and so on. Many want a password made for programs."
)
SENDER = (
    "Set ADSVC_MAIL_FROM to an address from which this user may send; if a login is wanted, write "
    "user and password into ADSVC_SMTP_URL."
)


async def delivery(it: Installation) -> list[Finding]:
    """The server of mails, the sender and the links."""
    settings = it.settings
    if settings.smtp_url is None or settings.mail_from is None:
        return [_files(it)]
    mail_server = smtp_server(settings.smtp_url.get_secret_value())
    sender = sender_address(settings.mail_from)
    found = [await _probed(mail_server, sender.addr_spec)]
    if not (mail_server.tls or mail_server.starttls or _is_here(mail_server.host)):
        seen = f"Mails and passwords go to {mail_server.host} unencrypted."
        found.append(warning(seen, "Remove ?tls=off from ADSVC_SMTP_URL.", "encryption"))
    if any(f".{sender.domain}".endswith(f".{example}") for example in EXAMPLES):
        seen = f"ADSVC_MAIL_FROM is {sender.addr_spec}, which is nobody's address."
        advice = "Set it to one that somebody reads: refusals come to it."
        found.append(warning(seen, advice, "sender"))
    if not settings.link_base.startswith("https://"):
        seen = (
            f"Links in mails begin with {settings.link_base}: whoever is on the way can use them."
        )
        advice = "Set ADSVC_SITE_URL to the https:// address of the site."
        found.append(warning(seen, advice, "links"))
    return found


def _files(it: Installation) -> Finding:
    seen = f"Mails are not sent; they are files in {it.settings.mail_dir}."
    advice = "Set ADSVC_SMTP_URL, ADSVC_MAIL_FROM and ADSVC_SITE_URL."
    if is_for_this_machine(it.settings):
        return ok(f"{seen} Only this machine reaches the service.")
    if it.settings.mail_required is not MailRequired.NEVER:
        seen = f"{seen} ADSVC_MAIL_REQUIRED wants addresses that nobody can confirm."
        return fault(seen, advice, "files")
    return warning(f"{seen} Nobody gets a new password by themselves.", advice, "files")


async def _probed(mail_server: SmtpServer, sender: str) -> Finding:
    place = f"{mail_server.host}:{mail_server.port}"
    told = {
        Step.CONNECT: (f"{place} is not reached", CONNECT),
        Step.ENCRYPT: (
            f"There is no encryption with {place}",
            TLS if mail_server.tls else STARTTLS,
        ),
        Step.LOGIN: (f"{place} does not let this user in", LOGIN),
        Step.SENDER: (f"{place} takes nothing from {sender}", SENDER),
    }
    try:
        await probe(mail_server, sender, seconds=SECONDS_OF_MAIL)
    except ProbeError as error:
        seen, advice = told[error.step]
        return fault(f"{seen}: {error}", advice, "server")
    return ok(f"{place} would take mails from {sender}. Whether they arrive, only one tells.")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _is_worked(it: Installation) -> bool:
    async with it.database.autocommit() as session:
        records = await JobRepository(session).all()
    latest = max((record.began_at for record in records), default=None)
    return latest is not None and datetime.now(UTC) - latest < RECENT


async def work(it: Installation) -> list[Finding]:
    """Whether somebody does the work beside requests, and what was given up."""
    found = []
    if it.settings.jobs is Jobs.OFF and not await _is_worked(it):
        seen = "ADSVC_JOBS is off, and no worker has done the work beside requests of late."
        found.append(fault(seen, "Run adsvc worker, or remove ADSVC_JOBS.", "worker"))
    outbox = OutboxWorkRepository(it.database.reader, it.database.writer)
    dead = (await outbox.status()).dead
    if dead:
        advice = "adsvc outbox list --dead says why; then: adsvc outbox retry --all"
        found.append(warning(f"{dead} mails were given up.", advice, "dead"))
    return found or [ok("Nothing was given up.")]
