"""Checks of the machine: settings, secret, permissions, disk, open files, storefront."""

import asyncio
import os
import re
import resource
import tempfile
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from adsvc.api.storefront.files import DIRECTORY
from adsvc.enums import ContactVisibility
from adsvc.errors import DiskNearlyFullError
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.process.setup import FOR_EACH_CONNECTION, RESERVED, WANTED
from adsvc.repositories.operation import site as site_rows
from adsvc.services.readiness import disk_reserves
from adsvc.services.site import pages_of
from adsvc.settings import (
    RateLimits,
    Settings,
    Storefront,
    async_database_url,
)
from adsvc_ops.doctor.findings import CheckContext, Finding, fault, ok, warning

PREFIX = "ADSVC_"
OTHERS = 0o077
# A group may read what root has made for it, as package managers and systemd do it.
BEYOND_A_GROUP = 0o027
CHANGED_BY_OTHERS = 0o002
SECRET_NAME = re.compile("PASSWORD|SECRET|KEY|TOKEN|DATABASE_.*URL|SMTP_URL")
# Where the units that are shipped have their settings, and the password of backups.
ENVIRONMENT_FILES = Path("/etc/adsvc")
# OWASP's minimum for Argon2id with one lane.
LEAST_PASSWORD_KIB = 19 * 1024
# Below that, the row of an upload may come after the sweep of its file.
LEAST_GRACE_SECONDS = 3600
STALLS = "adsvc_event_loop_stall_seconds"
# Shorter ones happen on a busy machine.
LONG_STALL_SECONDS = 1.0
METRICS_SECONDS = 5.0
PACKAGED_STOREFRONT = DIRECTORY / "index.html"


async def variables(context: CheckContext) -> list[Finding]:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    given = {name for name in context.environment if name.startswith(PREFIX)}
    found = []
    for name in sorted(given - known):
        near = get_close_matches(name, known, 1)
        advice = f"Is {near[0]} meant?" if near else "Remove it; docs/settings.md has all settings."
        found.append(warning(f"{name} is not a setting, and is ignored.", advice, name))
    return found or [ok(f"{len(given)} variables are set, and all are known.")]


async def risks(context: CheckContext) -> list[Finding]:
    """Values that work but are wrong for a public site."""
    settings = context.settings
    secure = (settings.site_url or "").startswith("https://")
    candidates = {
        "rate_limits": (
            settings.rate_limits is RateLimits.OFF,
            "ADSVC_RATE_LIMITS is off: passwords can be guessed without end.",
            "Remove it.",
        ),
        "http_basic": (
            settings.http_basic and not secure,
            "ADSVC_HTTP_BASIC is on: passwords come with every request.",
            "Have it only behind TLS, and set ADSVC_SITE_URL to its https:// address.",
        ),
        "ad_editors": (
            settings.ad_editors == "authenticated",
            "ADSVC_AD_EDITORS lets every account change every ad.",
            "Remove it, unless that is meant.",
        ),
        "contact": (
            settings.contact is ContactVisibility.OPEN and settings.storefront is Storefront.ON,
            "ADSVC_CONTACT is open: every account reads the numbers and user names of authors.",
            "Set it to hidden: people write messages, and read a number by its button.",
        ),
        "password_memory_kib": (
            settings.password_memory_kib < LEAST_PASSWORD_KIB,
            f"ADSVC_PASSWORD_MEMORY_KIB is below {LEAST_PASSWORD_KIB}: hashes are quickly guessed.",
            "Remove it.",
        ),
        "disk_reserve_bytes": (
            settings.disk_reserve_bytes == 0,
            "ADSVC_DISK_RESERVE_BYTES is 0: uploads can fill the disk, which stops the database.",
            "Remove it.",
        ),
        "image_grace_seconds": (
            settings.image_grace_seconds < LEAST_GRACE_SECONDS,
            "ADSVC_IMAGE_GRACE_SECONDS is so short that a sweep may meet an upload.",
            "Set it to a day, 86400.",
        ),
    }
    found = [
        warning(seen, advice, part) for part, (risky, seen, advice) in candidates.items() if risky
    ]
    return found or [ok("No value is risky.")]


async def secret(context: CheckContext) -> list[Finding]:
    if "ADSVC_JWT_SECRET" in context.environment:
        # Settings that are too short are refused when they are read.
        return [ok("ADSVC_JWT_SECRET is set, and long enough.")]
    if "ADSVC_DATABASE_URL" in context.environment:
        return [fault("ADSVC_JWT_SECRET is not set.", "Set it: openssl rand -base64 48")]
    return await asyncio.to_thread(_check_stored_secret, context.settings.data_dir / "jwt_secret")


def _check_stored_secret(path: Path) -> list[Finding]:
    try:
        mode = path.stat().st_mode
    except OSError:
        return [warning(f"There is no {path}.", "adsvc serve makes one.")]
    if mode & OTHERS:
        advice = (
            "Replace it: others may have read it, and can sign tokens. See Secrets in the docs."
        )
        return [fault(f"{path} can be read by others.", advice)]
    return [ok(f"{path} is its owner's alone.")]


async def user(context: CheckContext) -> list[Finding]:
    if os.geteuid() != 0:
        return [ok("It does not run as root.")]
    if "ADSVC_DATABASE_URL" in context.environment:
        return [ok("It runs as root, and the database is elsewhere.")]
    advice = (
        "Run it as a user of its own: other programs of the user that owns the database's files "
        "can read and change them, past all passwords."
    )
    return [warning("It runs as root, and the embedded database as another user.", advice)]


async def permissions(context: CheckContext) -> list[Finding]:
    """Whether other users may read or replace secrets."""
    return await asyncio.to_thread(_permissions, context)


def _permissions(context: CheckContext) -> list[Finding]:
    settings = context.settings
    advice = "Make it its owner's alone, chmod 600, and change what is in it: others may know it."
    found = [
        fault(
            f"{path}, which contains secrets, can be read or changed by others.", advice, path.name
        )
        for path in _secret_files(context)
        if _mode(path) & BEYOND_A_GROUP
    ]
    if _mode(settings.mail_dir) & OTHERS:
        advice = "chmod 700: mails have links by which passwords are changed."
        seen = f"{settings.mail_dir} can be read or changed by others."
        found.append(fault(seen, advice, "mail"))
    places = {"images": context.store.directory}
    # With database and bucket elsewhere nothing is kept there.
    if "ADSVC_DATABASE_URL" not in context.environment or context.store.directory is not None:
        places["data"] = settings.data_dir
    for part, path in places.items():
        if path is not None and _mode(path) & CHANGED_BY_OTHERS:
            advice = "chmod o-w: others can put a secret or pictures of their own there."
            found.append(fault(f"{path} can be changed by others.", advice, part))
    return found or [ok("Only their owners change the data, and read the secrets.")]


def _secret_files(context: CheckContext) -> Iterator[Path]:
    """Secret files at named and usual places. `jwt_secret` has a check of its own."""
    if any(SECRET_NAME.search(name.upper()) for name in context.dotenv):
        yield Path(str(Settings.model_config["env_file"])).absolute()
    for ending in ("env", "key"):
        yield from ENVIRONMENT_FILES.glob(f"*.{ending}")
    for url in (context.settings.database_url, context.settings.database_replica_url):
        key = url and async_database_url(url.get_secret_value()).query.get("sslkey")
        if isinstance(key, str):
            yield Path(key)


def _mode(path: Path) -> int:
    """0 for files that are missing or cannot be seen."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


async def disk(context: CheckContext) -> list[Finding]:
    places = {
        "data directory": context.settings.data_dir,
        "temporary files": Path(tempfile.gettempdir()),
    }
    if context.store.directory is not None:
        places["image store"] = context.store.directory
    found = []
    for name, path in places.items():
        if not await asyncio.to_thread(os.access, path, os.W_OK | os.X_OK):
            advice = "Make it, or give it to the user that the service runs as."
            found.append(fault(f"{path} ({name}) cannot be written to.", advice, name))
    for reserve in disk_reserves(context.settings, context.store):
        try:
            await reserve.require()
        except DiskNearlyFullError as error:
            advice = "Free some: none is taken until there is room."
            found.append(fault(error.detail, advice, "reserve"))
    return found or [ok(f"{len(places)} directories can be written to and have room.")]


async def files(context: CheckContext) -> list[Finding]:
    """Each connection takes two of the files that a process may open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    needed = (
        context.settings.connections * FOR_EACH_CONNECTION
        + RESERVED
        + context.settings.database_connections
    )
    if allowed < needed:
        return [
            warning(
                f"A process may open {allowed} files, and ADSVC_CONNECTIONS needs {needed}.",
                f"Set LimitNOFILE={WANTED} in its unit, or ulimit -Hn.",
            )
        ]
    return [ok(f"A process may open {allowed} files.")]


# By the names that their files begin with.
LEGAL_PAGES = {
    "imprint": ("imprint", "impressum", "legal"),
    "privacy": ("privacy", "datenschutz"),
}


def _missing_pages(directory: Path | None, written: Sequence[str]) -> list[Finding]:
    """What the law of many countries demands of a site. `written` are pages of the console."""
    names = [*written, *(path.name for path in (directory.glob("*.md") if directory else ()))]
    return [
        warning(
            f"There is no page {page}.",
            f"Write it in the console, or as {page}.md in the directory ADSVC_PAGES_DIR, unless "
            "your law does without it.",
            page,
        )
        for page, beginnings in LEGAL_PAGES.items()
        if not any(name.startswith(beginnings) for name in names)
    ]


async def _written_pages(context: CheckContext) -> list[str]:
    try:
        return [page.slug for page in pages_of(await site_rows.members(context.database.reader))]
    except Exception as error:
        # Another check reports the database.
        if not is_database_fault(error):
            raise
        return []


async def storefront(context: CheckContext) -> list[Finding]:
    if context.settings.storefront is Storefront.OFF:
        return [ok("The storefront is off.")]
    built = context.settings.storefront_dir is not None
    if built or await asyncio.to_thread(PACKAGED_STOREFRONT.is_file):
        written = await _written_pages(context)
        missing = await asyncio.to_thread(_missing_pages, context.settings.pages_dir, written)
        return [ok("The storefront is built."), *missing]
    return [
        warning(
            "The storefront is not built: / is a small page.",
            "Run make web, or set ADSVC_STOREFRONT=off.",
        )
    ]


async def event_loop(context: CheckContext) -> list[Finding]:
    """Whether something has held the event loop of a process that runs here."""
    settings = context.settings
    if not settings.metrics_port:
        return [ok("ADSVC_METRICS_PORT is not set: no one counts what holds the event loop.")]
    address = f"http://{_reached_at(settings.metrics_host)}:{settings.metrics_port}/metrics"
    try:
        text = await asyncio.to_thread(_read_metrics, address)
    except OSError:
        return [ok(f"There are no metrics at {address}: the service does not run here.")]
    stalls = _long_stalls(text)
    if not stalls:
        return [ok("Nothing has held the event loop for a second since the service started.")]
    return [
        warning(
            f"The event loop was held for more than a second {stalls} times since the service "
            "started. It answers no one meanwhile.",
            "The log says when, and how long it worked: "
            "docs/operations/alerts.md#adsvceventloopheld.",
        )
    ]


def _reached_at(host: str) -> str:
    """From here. A listener at all addresses is at the loopback address too."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"  # noqa: PLR2004
    return host if address.version == 4 else f"[{host}]"  # noqa: PLR2004


def _read_metrics(address: str) -> str:
    with urlopen(address, timeout=METRICS_SECONDS) as answer:  # noqa: S310 - http:// alone
        text: bytes = answer.read()
    return text.decode()


def _long_stalls(text: str) -> int:
    samples = [
        sample
        for family in text_string_to_metric_families(text)
        if family.name == STALLS
        for sample in family.samples
    ]
    short = sum(
        sample.value
        for sample in samples
        if sample.name == f"{STALLS}_bucket" and float(sample.labels["le"]) == LONG_STALL_SECONDS
    )
    return round(sum(each.value for each in samples if each.name == f"{STALLS}_count") - short)
