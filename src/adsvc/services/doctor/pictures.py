"""The image store: whose it is, and whether it does what it should."""

import os

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.services import installation
from adsvc.services.doctor.findings import Finding, Installation, fault, ok, warning

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
