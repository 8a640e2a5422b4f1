"""The site at its public address, its image store and its mail."""

import asyncio
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from adsvc.enums import MaintenanceMode
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.kit.addresses import PROXY_HEADER, is_loopback
from adsvc.kit.mail import ProbeError, SmtpPhase, probe
from adsvc.kit.security.encryption import UnreadableSecretError
from adsvc.kit.settings.validators import SmtpServer, sender_address, smtp_server
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.events import late_consumers
from adsvc.repositories.operation import jobs as job_rows
from adsvc.services import installation, maintenance
from adsvc.services.accounts.passkeys import rp_id
from adsvc.services.webhooks import WebhookSecrets
from adsvc.settings import Jobs, MailRequired, Settings
from adsvc_ops.doctor.findings import (
    CheckContext,
    Finding,
    Reason,
    connection_reason,
    fault,
    ok,
    warning,
)

SECONDS = 5.0
# `Date` has whole seconds, and an answer takes its time.
CLOCK_SECONDS = 5.0
HTTP_PORT = 80
HTTPS_PORT = 443
PARTIAL = 206
NOT_FOUND = 404
# How a file of the format begins.
PMTILES = b"PMTiles"
# A receiver that is restarted fails for less.
FAILING = timedelta(hours=1)
# The steps that follow the log take less than a second, and a mass import some minutes.
BEHIND_SECONDS = 300.0


def is_for_this_machine(settings: Settings) -> bool:
    """Whether only this machine can reach the service, apart from a proxy that no setting names."""
    return settings.site_url is None and settings.host in {"127.0.0.1", "::1", "localhost"}


async def proxy(context: CheckContext) -> list[Finding]:
    """Every answer to a request that came by TLS says so, if the proxy is trusted."""
    address = context.settings.site_url
    if address is None:
        if is_for_this_machine(context.settings):
            return [ok("There is no ADSVC_SITE_URL, and only this machine reaches the service.")]
        advice = "Set it, or pages and feeds name whatever host a request names."
        return [warning("ADSVC_SITE_URL is not set.", advice, "address")]
    address += context.settings.root_path
    try:
        headers = (await asyncio.to_thread(_ask, f"{address}/livez")).headers
    except (OSError, ValueError) as error:
        reason = await _unreachable(address)
        advice = "Is it the address of this site, and can this machine reach it?"
        seen = f"{address} does not answer: {reason.meaning if reason else error}."
        return [warning(seen, f"{advice} {reason.advice if reason else ''}".strip(), "address")]
    if "x-request-id" not in headers:
        advice = "Set ADSVC_SITE_URL, and ADSVC_ROOT_PATH, to where visitors find the site."
        return [fault(f"What answers at {address} is not adsvc.", advice, "address")]
    found = [_trust(context, address, headers), _clock(headers)]
    if not address.startswith("https://"):
        advice = "Put a proxy with TLS before the service."
        found.append(warning(f"{address} is not encrypted.", advice, "tls"))
    return found


def _trust(context: CheckContext, address: str, headers: Message) -> Finding:
    """If forwarded addresses are not trusted, all clients share one limit."""
    secure = address.startswith("https://")
    is_trusted = headers.get(PROXY_HEADER) is not None
    if is_trusted and (not secure or "strict-transport-security" in headers):
        return ok(f"{address} answers, and the proxy is trusted.")
    advice = (
        "Have the proxy send X-Forwarded-For and X-Forwarded-Proto, and set "
        "ADSVC_TRUSTED_PROXIES to the address that it connects from."
    )
    if is_trusted:
        seen = "The service does not see that its visitors use https."
        return fault(seen, advice, "trust")
    if context.settings.trusted_proxies:
        seen = "The service does not see the addresses of its visitors: all share one limit."
        return fault(seen, advice, "trust")
    if secure:
        seen = "A proxy ends TLS, and none is trusted: all visitors share one limit."
        return fault(seen, advice, "trust")
    if (urlsplit(address).port or HTTP_PORT) != context.settings.port:
        seen = f"{address} is another port: if a proxy forwards, all visitors share one limit."
        return warning(seen, advice, "trust")
    return ok(f"{address} answers, without a proxy.")


def _clock(headers: Message) -> Finding:
    try:
        theirs = parsedate_to_datetime(headers["date"])
    except (TypeError, ValueError):
        return ok("The answer has no date.")
    off = abs((datetime.now(UTC) - theirs).total_seconds())
    if off > CLOCK_SECONDS:
        seen = f"The site's clock and this one are {off:.0f} s apart."
        return warning(seen, "Use NTP on both.", "clock")
    return ok("The site's clock and this one agree.")


async def _unreachable(address: str) -> Reason | None:
    """Why there is no connection to the server of a URL, or no TLS; None if there is."""
    url = urlsplit(address)
    secure = url.scheme == "https"
    return await connection_reason(
        url.hostname or "", url.port or (HTTPS_PORT if secure else HTTP_PORT), tls=secure
    )


class _Answer(NamedTuple):
    status: int
    headers: Message
    # No more of it than `PMTILES` has.
    beginning: bytes


def _ask(address: str, headers: Mapping[str, str] | None = None) -> _Answer:
    # The setting is an address that begins with http:// or https://.
    request = Request(  # noqa: S310
        address, headers={"User-Agent": "adsvc doctor", **(headers or {})}
    )
    try:
        with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return _Answer(answer.status, answer.headers, answer.read(len(PMTILES)))
    except HTTPError as error:
        with error:
            return _Answer(error.code, error.headers, b"")


async def tiles(context: CheckContext) -> list[Finding]:
    """The host of the map tiles answers pages of the site."""
    template = context.settings.map_tiles
    if template is None:
        return [ok("Maps have coasts, borders and cities; there is no ADSVC_MAP_TILES.")]
    origin = context.settings.link_base
    address = re.sub(r"\{[zxy]\}", "0", template)
    is_file = address == template
    wanted = {"Origin": origin, **({"Range": f"bytes=0-{len(PMTILES) - 1}"} if is_file else {})}
    try:
        answer = await asyncio.to_thread(_ask, address, wanted)
    except (OSError, ValueError) as error:
        advice = "Compare ADSVC_MAP_TILES with what the operator of the tiles says."
        return [warning(f"The map tiles do not answer: {error}", advice, "tiles")]
    found = list(_tile_faults(answer, origin, is_file=is_file))
    if not context.settings.map_attribution:
        advice = "Set ADSVC_MAP_ATTRIBUTION as their licence demands."
        found.append(warning("The map tiles have no attribution.", advice, "attribution"))
    return found or [ok("The map tiles answer pages of the site.")]


def _tile_faults(answer: _Answer, origin: str, *, is_file: bool) -> Iterator[Finding]:
    # A map of one region need not have the tile of the whole world.
    if answer.status not in {200, 204, 206} and (is_file or answer.status != NOT_FOUND):
        advice = "Compare ADSVC_MAP_TILES, and a key in it, with what their operator says."
        yield warning(f"The map tiles are refused with {answer.status}.", advice, "tiles")
    elif is_file and answer.beginning != PMTILES:
        advice = "Is it a file of version 3, such as `pmtiles extract` writes?"
        yield warning("What is at ADSVC_MAP_TILES is no PMTiles file.", advice, "tiles")
    elif is_file and answer.status != PARTIAL:
        advice = "Put the file where parts of it can be requested."
        yield warning("The host of the map tiles answers no ranges.", advice, "tiles")
    if answer.headers.get("access-control-allow-origin") not in {"*", origin}:
        advice = f"Allow {origin} there (Access-Control-Allow-Origin)."
        yield warning("Browsers will not show the map tiles on pages of this site.", advice, "cors")


# Each of them is a source of credentials for an S3.
CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
NO_CREDENTIALS = (
    "There are no credentials in the environment, such as AWS_ACCESS_KEY_ID. They are never read "
    "from .env. Without them the machine needs a role."
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
# Codes in messages of an S3, what they mean, and what to do. The first match counts.
MEANINGS = (
    (("NoSuchBucket",), "there is no such bucket", MAKE),
    (
        ("InvalidAccessKeyId", "XAdminUserNotFound", "SignatureDoesNotMatch", "401 Unauthorized"),
        "the credentials are not valid there",
        COMPARE,
    ),
    (("RequestTimeTooSkewed",), "the clocks of this machine and the S3 are apart", "Use NTP."),
    (("AccessDenied",), "it is forbidden (403)", ALLOW),
)


async def owner(context: CheckContext) -> list[Finding]:
    try:
        difference = await installation.mismatch(context.database, context.store)
        if difference is not None:
            return [fault(difference, "Compare the settings with those of the other nodes.")]
        if await context.store.owner() is not None:
            return [ok(f"{context.store.location} belongs to the database.")]
        await installation.require_kinship(context.database, context.store)
    except ImageStoreUnavailableError as error:
        seen = "Could not check which installation owns the image store"
        return [await _unavailable(context, seen, error)]
    except OperatorError as error:
        advice = "Compare bucket, prefix or directory with those of the other nodes."
        return [fault(str(error), advice)]
    seen = f"{context.store.location} has no installation's id."
    return [warning(seen, "The first start of the service writes it. Is it mounted?")]


async def use(context: CheckContext) -> list[Finding]:
    """Stores a picture and deletes it again."""
    try:
        await context.store.check()
    except ImageStoreUnavailableError as error:
        return [await _unavailable(context, "No picture can be stored", error)]
    return [ok("A picture was stored and deleted.")]


async def _unavailable(
    context: CheckContext, seen: str, error: ImageStoreUnavailableError
) -> Finding:
    reason = str(error.__cause__ or error.detail)
    if context.store.directory is not None:
        return fault(f"{seen}: {reason}", "Look at its disk and permissions.")
    for codes, meaning, advice in MEANINGS:
        if any(code in reason for code in codes):
            return fault(f"{seen}: {meaning}. {reason}", advice)
    endpoint = context.settings.s3_endpoint
    missing = "" if any(map(os.environ.get, CREDENTIALS)) else NO_CREDENTIALS
    if endpoint is not None and (met := await _unreachable(endpoint)) is not None:
        return fault(
            f"{seen}: {endpoint}: {met.meaning}. {reason}", f"{met.advice} {missing}".strip()
        )
    if missing:
        return fault(f"{seen}: {reason}", missing)
    return fault(f"{seen}: {reason}", "Look at its address: is it reached from this machine?")


# For each step. A server that is slow now and then is not worth a finding.
MAIL_SECONDS = 10.0
# Jobs that run all the time are recorded once a minute.
RECENT = timedelta(minutes=15)
# Reserved for examples by RFC 2606.
EXAMPLES = ("example.com", "example.net", "example.org", "example")

CONNECT = (
    "Compare host and port with what the server's operator says, and see whether a firewall lets "
    "this machine out to it."
)
STARTTLS = (
    "Name the server as its certificate does, and on a port with STARTTLS, mostly 587; where TLS "
    "begins immediately, mostly on 465, write smtps://. No mail goes out unencrypted."
)
TLS = (
    "Name the server as its certificate does, and on a port where TLS begins immediately, mostly "
    "465; for STARTTLS, mostly on 587, write smtp://. No mail goes out unencrypted."
)
LOGIN = (
    "Compare user and password in ADSVC_SMTP_URL with what the server's operator says; in it @ is "
    "written %40, / %2F, and so on. Many want a password made for programs."
)
SENDER = (
    "Set ADSVC_MAIL_FROM to an address from which this user may send; if a login is wanted, write "
    "user and password into ADSVC_SMTP_URL."
)


async def delivery(context: CheckContext) -> list[Finding]:
    """The server of mails, the sender and the links."""
    settings = context.settings
    if settings.smtp_url is None or settings.mail_from is None:
        return [_files(context)]
    mail_server = smtp_server(settings.smtp_url.get_secret_value())
    sender = sender_address(settings.mail_from)
    found = [await _probed(mail_server, sender.addr_spec)]
    if not (mail_server.tls or mail_server.starttls or is_loopback(mail_server.host)):
        seen = f"Mails and passwords go to {mail_server.host} unencrypted."
        found.append(warning(seen, "Remove ?tls=off from ADSVC_SMTP_URL.", "encryption"))
    if any(f".{sender.domain}".endswith(f".{example}") for example in EXAMPLES):
        seen = f"ADSVC_MAIL_FROM is {sender.addr_spec}, which is an address for examples."
        advice = "Set it to a mailbox that is read: bounces come to it."
        found.append(warning(seen, advice, "sender"))
    if not settings.link_base.startswith("https://"):
        seen = f"Links in mails begin with {settings.link_base}: they can be intercepted and used."
        advice = "Set ADSVC_SITE_URL to the https:// address of the site."
        found.append(warning(seen, advice, "links"))
    return found


def _files(context: CheckContext) -> Finding:
    seen = f"Mails are not sent; they are files in {context.settings.mail_dir}."
    advice = "Set ADSVC_SMTP_URL, ADSVC_MAIL_FROM and ADSVC_SITE_URL."
    if is_for_this_machine(context.settings):
        return ok(f"{seen} Only this machine reaches the service.")
    if context.settings.mail_required is not MailRequired.NEVER:
        seen = f"{seen} ADSVC_MAIL_REQUIRED needs addresses that users cannot confirm."
        return fault(seen, advice, "files")
    return warning(f"{seen} Users cannot reset their password themselves.", advice, "files")


async def _probed(mail_server: SmtpServer, sender: str) -> Finding:
    place = f"{mail_server.host}:{mail_server.port}"
    findings = {
        SmtpPhase.CONNECT: (f"{place} is not reached", CONNECT),
        SmtpPhase.ENCRYPT: (
            f"There is no encryption with {place}",
            TLS if mail_server.tls else STARTTLS,
        ),
        SmtpPhase.LOGIN: (f"{place} does not let this user in", LOGIN),
        SmtpPhase.SENDER: (f"{place} takes nothing from {sender}", SENDER),
    }
    try:
        await probe(mail_server, sender, seconds=MAIL_SECONDS)
    except ProbeError as error:
        seen, advice = findings[error.step]
        return fault(f"{seen}: {error}", advice, "server")
    return ok(f"{place} accepts mails from {sender}. Only a mail shows whether they arrive.")


async def _is_worked(context: CheckContext) -> bool:
    async with context.database.autocommit() as session:
        records = await job_rows.all_jobs(session)
    latest = max((record.began_at for record in records), default=None)
    return latest is not None and datetime.now(UTC) - latest < RECENT


async def work(context: CheckContext) -> list[Finding]:
    """Whether background work is done, and dead letters."""
    found = []
    if context.settings.jobs is Jobs.OFF and not await _is_worked(context):
        seen = "ADSVC_JOBS is off, and no worker has done the background work recently."
        found.append(fault(seen, "Run adsvc worker, or remove ADSVC_JOBS.", "worker"))
    dead = (await outbox_rows.status(context.database.reader)).dead
    if dead:
        advice = "adsvc outbox list --dead says why; then: adsvc outbox retry --all"
        found.append(warning(f"{dead} mails are dead letters.", advice, "dead"))
    return found or [ok("There are no dead letters.")]


async def following(context: CheckContext) -> list[Finding]:
    """Whether what follows the log keeps up with it: favorites, saved searches, messages."""
    late = await late_consumers(context.database.reader, BEHIND_SECONDS)
    advice = "Look for faults of adsvc.worker in the log; adsvc_consumer_lag_events shows how many."
    return [
        warning(f"The step {name} has not handled an event of {seconds:.0f} s ago.", advice, name)
        for name, seconds in late.items()
    ] or [ok("Favorites, saved searches and messages keep up with the log.")]


# Enough to see that the words of a category have changed.
COMPARED_ADS = 500


async def search(context: CheckContext) -> list[Finding]:
    """Whether OpenSearch answers searches, if it should, and its index has the ads as they are."""
    if not context.settings.search_nodes:
        return [ok("PostgreSQL answers searches.")]
    # They take memory.
    from adsvc.repositories.ads.opensearch import cluster as engine  # noqa: PLC0415
    from adsvc.services import search_index  # noqa: PLC0415

    cluster = engine.SearchCluster(
        context.settings.search_nodes, seconds=search_index.WRITE_SECONDS
    )
    rebuild = "adsvc search rebuild"
    try:
        name = await search_index.answering(context.database, cluster)
        if name is None:
            return [fault("OpenSearch has no index of this installation.", rebuild, "index")]
        compared, other = await search_index.different(
            context.database, cluster, name, COMPARED_ADS
        )
    except (engine.ClusterUnavailableError, engine.ClusterRefusedError) as error:
        seen = f"OpenSearch does not answer, and PostgreSQL answers searches in part: {error}"
        return [warning(seen, "Start it, or mend ADSVC_SEARCH_URL.", "away")]
    finally:
        await cluster.close()
    if other:
        seen = f"The index of OpenSearch has other words of {other} of {compared} ads."
        return [warning(seen, f"After changes of categories or of the language: {rebuild}", "old")]
    return [ok(f"OpenSearch answers searches, by {name}.")]


async def webhooks(context: CheckContext) -> list[Finding]:
    """Whether secrets can be read, and receivers accept what is sent."""
    async with context.database.autocommit() as session:
        enabled = [row for row in await webhook_rows.webhooks_of(session, None) if row.enabled]
    if not enabled:
        return [ok("There are no webhooks that are enabled.")]
    keeping = WebhookSecrets(*context.settings.jwt_secrets())
    found = []
    for row in enabled:
        try:
            keeping.decrypted(row.secret)
        except UnreadableSecretError:
            seen = f"The secret of webhook {row.id} was encrypted with another ADSVC_JWT_SECRET."
            advice = f"POST /webhooks/{row.id}/rotate, and give its receiver the new secret."
            found.append(fault(seen, advice, "secret"))
        if row.failing_since is not None and datetime.now(UTC) - row.failing_since > FAILING:
            seen = f"Webhook {row.id} has failed {row.failures} times since {row.failing_since}."
            advice = f"GET /webhooks/{row.id}/deliveries, and look after its receiver."
            found.append(warning(seen, advice, "failing"))
    return found or [ok("No webhook fails.")]


async def closure(context: CheckContext) -> list[Finding]:
    """Whether there is maintenance, which its operator may have forgotten."""
    found, *_ = await maintenance.current(context.database)
    if found.mode is MaintenanceMode.OFF:
        return [ok("There is no maintenance.")]
    return [warning(f"Maintenance is {found.mode}.", "To end it: adsvc maintenance off")]


async def own_secret(context: CheckContext) -> list[Finding]:
    """Whether the secret is the installation's, and whether its rotation is complete."""
    if not await installation.is_own_secret(context.database, context.settings):
        return [fault("ADSVC_JWT_SECRET is not the installation's.", installation.FOREIGN)]
    if context.settings.jwt_secret_previous is None:
        return [ok("ADSVC_JWT_SECRET is the installation's.")]
    left = await installation.renew_secrets(context.database, context.settings, dry_run=True)
    if left.renewed:
        seen = f"Encrypted with ADSVC_JWT_SECRET_PREVIOUS: {installation.counted(left.renewed)}."
        return [warning(seen, "adsvc secrets rotate", "previous")]
    return [ok("A day after the rotation, remove ADSVC_JWT_SECRET_PREVIOUS.")]


async def passkeys(context: CheckContext) -> list[Finding]:
    """Whether they are for the host of the site: with another one they are of no use."""
    async with context.database.autocommit() as session:
        hosts = await factor_rows.passkeys_by_host(session)
    if not hosts:
        return [ok("There are no passkeys.")]
    settings = context.settings
    host, found = rp_id(settings), []
    of_others = {name: count for name, count in hosts.items() if name != host}
    if of_others:
        named = ", ".join(f"{count} for {name}" for name, count in of_others.items())
        seen = f"Passkeys are bound to their host, and this site's is {host}: {named}."
        advice = (
            "Set ADSVC_SITE_URL to the address they were made at, or leave it: then their owners "
            "log in by password, and make new ones."
        )
        found.append(warning(seen, advice, "host"))
    is_secure = settings.link_base.startswith("https://") or host == "localhost"
    if host in hosts and not is_secure:
        seen = f"Browsers use no passkeys at {settings.link_base}, which is not https."
        advice = "Set ADSVC_SITE_URL to the https:// address of the site."
        found.append(warning(seen, advice, "encryption"))
    return found or [ok(f"All passkeys are for {host}.")]
