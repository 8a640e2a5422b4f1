"""The image store: whose it is, and whether it does what it should."""

import os

from adsvc.errors import ImageStoreUnavailableError
from adsvc.services import installation
from adsvc.services.doctor.findings import Finding, Installation, fault, ok, warning

# Any of them says where credentials of an S3 come from.
CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


async def owner(it: Installation) -> list[Finding]:
    difference = await installation.mismatch(it.database, it.store)
    if difference is not None:
        return [fault(difference, "Compare the settings with those of the other nodes.")]
    if await it.store.owner() is None:
        seen = f"{it.store.location} bears no installation's id."
        return [warning(seen, "The first start of the service writes it. Is it mounted?")]
    return [ok(f"{it.store.location} belongs to the database.")]


async def use(it: Installation) -> list[Finding]:
    """Stores a picture and deletes it again."""
    try:
        await it.store.check()
    except ImageStoreUnavailableError as error:
        advice = "Look at its disk and permissions, or its address and credentials."
        if it.store.directory is None and not any(map(os.environ.get, CREDENTIALS)):
            advice = (
                "No credentials are in the environment, such as AWS_ACCESS_KEY_ID, where alone "
                "they are looked for: never in .env. Without them the machine needs a role."
            )
        return [fault(f"No picture can be stored: {error.__cause__ or error.detail}", advice)]
    return [ok("A picture was stored and deleted.")]
