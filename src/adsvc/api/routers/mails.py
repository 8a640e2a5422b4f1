"""The texts of the site's mails, as its administrators write them."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter
from pydantic import WithJsonSchema

from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import PathParameter
from adsvc.enums import KeyScope, Role
from adsvc.errors import MailNotVerifiedError, NotFoundError
from adsvc.kit.settings import MEBIBYTE
from adsvc.repositories import outbox as outbox_rows
from adsvc.schemas.site import MailTexts, MailTextsList, UpdateMail
from adsvc.services.mail.rendering import to_account
from adsvc.services.mail.texts import KINDS
from adsvc.services.site import mail_texts

router = APIRouter(prefix="/admin/mails", tags=["admin"])

operation = partial(Endpoint, router, requires=KeyScope.ADMIN, role=Role.ADMIN)


def _kind(text: str) -> str:
    if text not in KINDS:
        raise NotFoundError("There are no mails of this kind.")
    return text


KindPath = Annotated[
    str,
    WithJsonSchema({"type": "string", "enum": list(KINDS), "examples": ["verify"]}),
    PathParameter(_kind, alias="kind", description="What the mail is about.", examples=["verify"]),
]


@operation(
    "GET",
    "",
    summary="List the texts of mails",
    compressible=False,
)
async def list_mails(call: Call[None]) -> MailTextsList:
    """Returns what administrators have written of each kind of mail.

    Administrators may.
    """
    written = call.settings.mail_texts
    return MailTextsList(results=[mail_texts(written, kind) for kind in KINDS])


@operation(
    "GET",
    "/{kind}",
    summary="Get the texts of a mail",
    compressible=False,
    refused_with=(NotFoundError,),
)
async def get_mail(call: Call[None], kind: KindPath) -> MailTexts:
    """Returns what administrators have written of this kind of mail.

    Administrators may.
    """
    return mail_texts(call.settings.mail_texts, kind)


@operation(
    "PUT",
    "/{kind}",
    summary="Write the texts of a mail",
    body=Json(UpdateMail, max_bytes=MEBIBYTE),
    refused_with=(NotFoundError,),
)
async def write_mail(call: Call[UpdateMail], kind: KindPath) -> MailTexts:
    """Replaces the subject and the beginning of this kind of mail, and returns them. Mails have
    them within a second. It is a change of the site, so it is in its history.

    Administrators may. Counts towards the account's limit on changes.
    """
    return await call.state.site.write_mail(
        call.transaction, kind, call.content, actor=call.user.id
    )


@operation(
    "POST",
    "/{kind}/test",
    summary="Send a sample of a mail",
    status=202,
    refused_with=(NotFoundError, MailNotVerifiedError),
)
async def test_mail(call: Call[None], kind: KindPath) -> None:
    """Sends a mail of this kind with made-up values to the caller's verified address, in the
    language of the account. Its links lead nowhere.

    Administrators may. Counts towards the account's limit on changes.
    """
    if not call.user.mail_verified:
        raise MailNotVerifiedError
    letter, _, sample = KINDS[kind]
    await outbox_rows.add(call.transaction, to_account(letter, call.user.id, **sample))
