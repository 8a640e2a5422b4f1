"""Whether mails go out, by all that comes before one; none is sent."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from adsvc.repositories import JobRepository
from adsvc.repositories.outbox import OutboxWorkRepository
from adsvc.services.mail.transports import ProbeError, Step, probe
from adsvc.settings import Jobs, MailRequired
from adsvc.settings.mail import SmtpServer, sender_address, smtp_server
from adsvc_ops.doctor.findings import Finding, Installation, fault, ok, warning
from adsvc_ops.doctor.site import is_for_this_machine

# For each step. A server that is slower now and then is none to be told of.
SECONDS = 10.0
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


async def server(it: Installation) -> list[Finding]:
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
        await probe(mail_server, sender, seconds=SECONDS)
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
