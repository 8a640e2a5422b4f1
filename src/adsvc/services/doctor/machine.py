"""Settings, secret, disk, limits: what the machine itself can tell."""

import asyncio
import os
import resource
import tempfile
from difflib import get_close_matches
from pathlib import Path

from adsvc.errors import DiskNearlyFullError
from adsvc.process.descriptors import FOR_EACH_CONNECTION, KEPT, WANTED
from adsvc.services.doctor.findings import Finding, Installation, fault, ok, warning
from adsvc.services.readiness import disk_reserves
from adsvc.settings import RateLimits, Settings, Storefront

PREFIX = "ADSVC_"
OTHERS = 0o077
# OWASP's minimum for Argon2id with one lane.
LEAST_PASSWORD_KIB = 19 * 1024
# Below that, the row of an upload may come after the sweep of its file.
LEAST_GRACE_SECONDS = 3600
PACKAGED_STOREFRONT = Path(__file__).parents[2] / "web" / "index.html"


async def variables(it: Installation) -> list[Finding]:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    given = {name for name in it.environment if name.startswith(PREFIX)}
    found = []
    for name in sorted(given - known):
        near = get_close_matches(name, known, 1)
        advice = f"Is {near[0]} meant?" if near else "Remove it; docs/settings.md has all settings."
        found.append(warning(f"{name} is no setting, and nothing reads it.", advice))
    return found or [ok(f"{len(given)} variables are set, and all are known.")]


async def risks(it: Installation) -> list[Finding]:
    """Values that work and that a public site should not have."""
    settings = it.settings
    secure = (settings.site_url or "").startswith("https://")
    judged = (
        (settings.rate_limits is RateLimits.OFF, ("ADSVC_RATE_LIMITS is off: passwords can be "
         "guessed without end."), "Remove it."),
        (settings.http_basic and not secure, ("ADSVC_HTTP_BASIC is on: passwords come with every "
         "request."), "Have it only behind TLS, and set ADSVC_SITE_URL to its https:// address."),
        (settings.ad_editors == "authenticated", ("ADSVC_AD_EDITORS lets every account change "
         "every ad."), "Remove it, unless that is meant."),
        (settings.password_memory_kib < LEAST_PASSWORD_KIB, ("ADSVC_PASSWORD_MEMORY_KIB is below "
         f"{LEAST_PASSWORD_KIB}: stolen hashes are guessed quickly."), "Remove it."),
        (settings.disk_reserve_bytes == 0, ("ADSVC_DISK_RESERVE_BYTES is 0: uploads can fill the "
         "disk, and the database with it stops."), "Remove it."),
        (settings.image_grace_seconds < LEAST_GRACE_SECONDS, ("ADSVC_IMAGE_GRACE_SECONDS is so "
         "short that a sweep may meet an upload."), "Set it to a day, 86400."),
    )  # fmt: skip
    found = [warning(seen, advice) for risky, seen, advice in judged if risky]
    return found or [ok("No value is risky.")]


async def secret(it: Installation) -> list[Finding]:
    if "ADSVC_JWT_SECRET" in it.environment:
        # Settings that are too short are refused when they are read.
        return [ok("ADSVC_JWT_SECRET is set, and long enough. All nodes must have the same one.")]
    if "ADSVC_DATABASE_URL" in it.environment:
        return [fault("ADSVC_JWT_SECRET is not set.", "Set it: openssl rand -base64 48")]
    return await asyncio.to_thread(_kept_secret, it.settings.data_dir / "jwt_secret")


def _kept_secret(path: Path) -> list[Finding]:
    try:
        mode = path.stat().st_mode
    except OSError:
        return [warning(f"There is no {path}.", "adsvc serve makes one.")]
    if mode & OTHERS:
        advice = "Delete it and restart: whoever has read it can sign tokens."
        return [fault(f"{path} can be read by others.", advice)]
    return [ok(f"{path} is its owner's alone.")]


async def disk(it: Installation) -> list[Finding]:
    places = {
        "data directory": it.settings.data_dir,
        "temporary files": Path(tempfile.gettempdir()),
    }
    if it.store.directory is not None:
        places["image store"] = it.store.directory
    found = []
    for name, path in places.items():
        if not await asyncio.to_thread(os.access, path, os.W_OK | os.X_OK):
            advice = "Make it, or give it to the user that the service runs as."
            found.append(fault(f"{path} ({name}) cannot be written to.", advice))
            continue
    for reserve in disk_reserves(it.settings, it.store):
        try:
            await reserve.require()
        except DiskNearlyFullError as error:
            found.append(fault(error.detail, "Free some: none is taken until there is room."))
    return found or [ok(f"{len(places)} directories can be written to and have room.")]


async def files(it: Installation) -> list[Finding]:
    """Each connection takes two of the files that a process may open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    needed = it.settings.connections * FOR_EACH_CONNECTION + KEPT + it.settings.database_connections
    if allowed < needed:
        return [
            warning(
                f"A process may open {allowed} files, and ADSVC_CONNECTIONS needs {needed}.",
                f"Set LimitNOFILE={WANTED} in its unit, or ulimit -Hn.",
            )
        ]
    return [ok(f"A process may open {allowed} files.")]


async def storefront(it: Installation) -> list[Finding]:
    if it.settings.storefront is Storefront.OFF:
        return [ok("The storefront is off.")]
    built = it.settings.storefront_dir is not None
    if built or await asyncio.to_thread(PACKAGED_STOREFRONT.is_file):
        return [ok("The storefront is built.")]
    return [
        warning(
            "The storefront is not built: / is a small page.",
            "Run make web, or set ADSVC_STOREFRONT=off.",
        )
    ]
