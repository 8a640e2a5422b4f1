"""The site as administrators set it: its members, pictures, pages, mails and history."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import WithJsonSchema

from adsvc.api.dependencies.calls import Call, Json, Page
from adsvc.api.dependencies.endpoints import Endpoint, Router
from adsvc.api.dependencies.forms import PictureForm
from adsvc.api.finding import canonical_query
from adsvc.api.input.parameters import (
    InvitationIdPath,
    PageQuery,
    PageSlugPath,
    PathParameter,
    SiteChangeIdPath,
)
from adsvc.api.openapi.schemas import image_form
from adsvc.enums import KeyScope, Role, SitePicture
from adsvc.errors import (
    FixedByEnvironmentError,
    HasAdsError,
    InvalidRequestError,
    MailNotVerifiedError,
    NotFoundError,
    TooManyError,
)
from adsvc.kit.records import Written
from adsvc.kit.settings import MEBIBYTE
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.operation import site as site_rows
from adsvc.schemas.site import (
    AdministeredSite,
    CreatedInvitation,
    CreateInvitation,
    MailTexts,
    MailTextsList,
    SavePage,
    SiteChange,
    SiteChanges,
    SiteInvitation,
    SiteInvitations,
    SitePage,
    SitePages,
    UpdateMail,
    UpdateSite,
)
from adsvc.services.images import ReceivedImages
from adsvc.services.mail.rendering import to_account
from adsvc.services.mail.texts import KINDS
from adsvc.services.rate_limits import Limit
from adsvc.services.site import create_site_invitation, delete_site_invitation, mail_texts

MOST_INVITATIONS = 200

router = Router("/admin", tag="admin", requires=KeyScope.ADMIN, role=Role.ADMIN)

read = partial(router.get, compressible=False)


def _kind(text: str) -> str:
    if text not in KINDS:
        raise NotFoundError("There are no mails of this kind.")
    return text


KindPath = Annotated[
    str,
    WithJsonSchema({"type": "string", "enum": list(KINDS), "examples": ["verify"]}),
    PathParameter(_kind, alias="kind", description="What the mail is about.", examples=["verify"]),
]


@read(
    "/mails",
    summary="List the texts of mails",
)
async def list_mails(call: Call[None]) -> MailTextsList:
    """Returns what administrators have written of each kind of mail.

    Administrators may.
    """
    written = call.settings.mail_texts
    return MailTextsList(results=[mail_texts(written, kind) for kind in KINDS])


@read(
    "/mails/{kind}",
    summary="Get the texts of a mail",
    refused_with=(NotFoundError,),
)
async def get_mail(call: Call[None], kind: KindPath) -> MailTexts:
    """Returns what administrators have written of this kind of mail.

    Administrators may.
    """
    return mail_texts(call.settings.mail_texts, kind)


@router.put(
    "/mails/{kind}",
    summary="Write the texts of a mail",
    body=Json(UpdateMail, max_bytes=MEBIBYTE),
    refused_with=(NotFoundError,),
)
async def write_mail(call: Call[UpdateMail], kind: KindPath) -> MailTexts:
    """Replaces the subject and the beginning of this kind of mail, and returns them. Mails have
    them within a second. It is a change of the site, so it is in its history.

    Administrators may. Counts towards the account's limit on changes.
    """
    return await call.state.site.write_mail(call, kind, call.content)


@router.post(
    "/mails/{kind}/test",
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


@read(
    "/site",
    summary="Get what can be set of the site",
)
async def get_administered_site(call: Call[None]) -> AdministeredSite:
    """Returns the site as the process that answers has it.

    Administrators may.
    """
    return call.state.site.record


def _add_picture(member: SitePicture, what: str) -> None:
    async def replace_picture(call: Call[ReceivedImages]) -> Written:
        state = call.state
        return await state.site.replace_picture(call, state.store, member, call.content)

    async def remove_picture(call: Call[None]) -> Written:
        return await call.state.site.change(call, {member.value: None})

    who = "Administrators may. Counts towards the account's limit on"
    replace_picture.__doc__ = f"Stores {what}, and returns the site.\n\n{who} uploads."
    remove_picture.__doc__ = (
        f"Brings the storefront's own {member} back, and returns the site.\n\n{who} changes."
    )
    change = partial(
        Endpoint,
        router,
        path=f"/site/{member}",
        response_model=AdministeredSite,
        version=True,
        refused_with=(FixedByEnvironmentError,),
    )
    change(
        method="PUT",
        operation_id=f"replaceSite{member.capitalize()}",
        summary=f"Replace the site's {member}",
        openapi_extra=image_form(),
        body=PictureForm(),
        limit=Limit.UPLOADS,
    )(replace_picture)
    change(
        method="DELETE",
        operation_id=f"removeSite{member.capitalize()}",
        summary=f"Remove the site's {member}",
    )(remove_picture)


_add_picture(SitePicture.LOGO, "a picture for the header, beside the site's name")
_add_picture(
    SitePicture.ICON,
    "a picture, from which the icons of browser tabs, of phones and of mails are made",
)


@router.patch(
    "/site",
    summary="Change the site",
    response_model=AdministeredSite,
    # Texts in many languages.
    body=Json(UpdateSite, max_bytes=MEBIBYTE),
    version=True,
    refused_with=(FixedByEnvironmentError, HasAdsError),
)
async def update_site(call: Call[UpdateSite]) -> Written:
    """Changes the members that are sent, and returns the site. All processes follow within a
    second.

    Administrators may. Counts towards the account's limit on changes.
    """
    sent = call.content.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for number, section in enumerate(sent.get("sections") or ()):
        try:
            section["query"] = await canonical_query(call.state, (), section.get("query", ""))
        except InvalidRequestError as error:
            pointer = f"/sections/{number}/query"
            found = [replace(each, parameter=None, pointer=pointer) for each in error.faults]
            raise InvalidRequestError(*found) from error
    return await call.state.site.change(call, sent)


@read(
    "/site/history",
    summary="List the changes of the site",
    query=PageQuery,
    response_model=SiteChanges,
)
async def list_site_changes(call: Call[None]) -> Page:
    """Returns a page of what administrators have changed of the site, the newest first.

    Administrators may.
    """
    page = call.page("site")
    async with call.database.autocommit() as session:
        rows, last = await site_rows.history(session, page.limit, before=page.before)
    results = [SiteChange.model_validate(row) for row in rows]
    return Page(results, None if last is None else last.id)


@router.post(
    "/site/history/{id}/restore",
    summary="Undo a change of the site",
    response_model=AdministeredSite,
    refused_with=(NotFoundError, FixedByEnvironmentError, HasAdsError),
)
async def restore_site(call: Call[None], change_id: SiteChangeIdPath) -> Written:
    """Brings back the members that a change replaced, as they were before it, and returns the
    site. Other members stay. That is a change too.

    Administrators may. Counts towards the account's limit on changes.
    """
    return await call.state.site.restore(call, change_id)


@read("/pages", summary="List the pages of the site")
async def list_site_pages(call: Call[None]) -> SitePages:
    """Returns the pages that administrators have written, in their order.

    Administrators may.
    """
    return SitePages(results=call.state.site.pages)


@read("/pages/{slug}", summary="Get a page of the site", refused_with=(NotFoundError,))
async def get_site_page(call: Call[None], slug: PageSlugPath) -> SitePage:
    """Returns a page that administrators have written.

    Administrators may.
    """
    return call.state.site.page(slug)


@router.put(
    "/pages/{slug}",
    summary="Create or replace a page of the site",
    response_model=SitePage,
    body=Json(SavePage, max_bytes=MEBIBYTE),
    version=True,
    refused_with=(FixedByEnvironmentError, TooManyError),
)
async def save_site_page(call: Call[SavePage], slug: PageSlugPath) -> Written:
    """Stores a page in Markdown, shown at `/pages/{slug}` at once. Its version stays: a page of
    terms gets a new one by `POST /admin/pages/{slug}/publish`.

    Administrators may. Counts towards the account's limit on changes.
    """
    return await call.state.site.save_page(call, slug, call.content)


@router.delete(
    "/pages/{slug}",
    summary="Delete a page of the site",
    version=True,
    refused_with=(NotFoundError,),
)
async def delete_site_page(call: Call[None], slug: PageSlugPath) -> None:
    """Deletes a page. The history of the site brings it back.

    Administrators may. Counts towards the account's limit on changes.
    """
    await call.state.site.delete_page(call, slug)


@router.post(
    "/pages/{slug}/publish",
    summary="Publish a new version of a page",
    response_model=SitePage,
    version=True,
    refused_with=(NotFoundError,),
)
async def publish_site_page(call: Call[None], slug: PageSlugPath) -> Written:
    """Gives the page, as it is now, a new version. Accounts accept terms by their version.

    Administrators may. Counts towards the account's limit on changes.
    """
    return await call.state.site.publish_page(call, slug)


# It takes no `Idempotency-Key`: the answer has a secret, which is not to be kept.
@router.post(
    "/invitations",
    summary="Create an invitation to register",
    status=201,
)
async def create_invitation(call: Call[CreateInvitation]) -> CreatedInvitation:
    """Creates an invitation, and returns it with its code, which cannot be read again.

    Administrators may. Counts towards the account's limit on changes.
    """
    call.headers["Cache-Control"] = "no-store"
    return await create_site_invitation(call, call.content)


@read("/invitations", summary="List the invitations to register")
async def list_invitations(call: Call[None]) -> SiteInvitations:
    """Returns the newest invitations, also those that are used up, without their codes.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        rows = await site_rows.newest_invitations(session, MOST_INVITATIONS)
    return SiteInvitations(results=[SiteInvitation.model_validate(row) for row in rows])


@router.delete(
    "/invitations/{id}",
    summary="Delete an invitation",
    refused_with=(NotFoundError,),
)
async def delete_invitation(call: Call[None], invitation_id: InvitationIdPath) -> None:
    """Deletes an invitation: its code is not valid any more.

    Administrators may. Counts towards the account's limit on changes.
    """
    await delete_site_invitation(call, invitation_id)
