"""The site as administrators have set it: above the defaults, and below the environment."""

import asyncio
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from adsvc.enums import (
    AuditKind,
    ContactVisibility,
    Feature,
    RegistrationMode,
    Role,
    SettingSource,
    SitePicture,
    StarterTree,
)
from adsvc.errors import (
    FixedByEnvironmentError,
    HasAdsError,
    InvalidRequestError,
    NotFoundError,
    OperatorError,
    SetupEndedError,
    TooManyError,
)
from adsvc.kit import faults
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.records import Written, version_of
from adsvc.kit.security.tokens import LinkToken
from adsvc.kit.storage import ImageStore
from adsvc.limits import LARGEST_PRICE
from adsvc.models.accounts import User
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.operation import site as site_rows
from adsvc.schemas.auth import SetUp
from adsvc.schemas.base import IMAGE_PATH
from adsvc.schemas.site import (
    AdministeredSite,
    CreatedInvitation,
    CreateInvitation,
    MailTexts,
    SavePage,
    SiteInvitation,
    SitePage,
    SiteProvider,
    UpdateMail,
)
from adsvc.services import audit
from adsvc.services.accounts import users
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.accounts.sessions import AccountRequest, ClientRequest
from adsvc.services.categories import changes
from adsvc.services.categories.changes import starter
from adsvc.services.images import PictureStoring, ReceivedImages
from adsvc.services.mail.rendering import LANGUAGES
from adsvc.services.mail.texts import COMMON, KINDS, OwnTexts, fault_of
from adsvc.settings import AdEditors, Settings, TermsVersion

Members = Mapping[str, Any]

# The settings that members are the values of.
SETTINGS: Mapping[str, str] = {
    "name": "site_name",
    "currency": "currency",
    "country": "country",
    "languages": "languages",
    "contact": "contact",
    "registration": "registration",
    "colors": "theme_accent",
    "features": "features_off",
    "logo": "theme_logo",
}


# What the name of a member that is a page begins with: so pages have the site's history.
PAGE = "page:"
MOST_PAGES = 64
NO_PAGE = "There is no page of this name."

# The sources of settings that administrators cannot change.
FIXING = frozenset({SettingSource.ENVIRONMENT, SettingSource.FILE})


def merged(target: Members, patch: Members) -> dict[str, Any]:
    """The target after a merge patch (RFC 7396 §2). Neither is changed."""
    result = dict(target)
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = (
                merged(result.get(name) or {}, value) if isinstance(value, dict) else value
            )
    return result


class SiteState:
    """What a process knows of the site.

    The members that are settings are written into `settings`, for all that have them.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        sources = settings.sources()
        self._defaults: Members = {
            "name": settings.site_name,
            "currency": settings.currency,
            "priceDecimals": 0,
            "country": settings.country,
            "languages": list(settings.languages),
            "contact": settings.contact,
            "registration": settings.registration,
            "colors": {"accent": settings.theme_accent},
            "features": {each: each not in settings.features_off for each in Feature},
            "headline": {},
            "welcome": {},
            "banner": {},
            "sections": [],
            "css": "",
            "logo": None,
            "icon": None,
            "mails": {},
            "embedOrigins": [],
            "analytics": None,
            "termsPage": None,
        }
        self._fixed = [name for name in SETTINGS if sources.get(SETTINGS[name]) in FIXING]
        # The id of the last change.
        self.version = 0
        self.record = self.with_members({})
        self.providers: Sequence[SiteProvider] = ()
        # In their order.
        self.pages: list[SitePage] = []

    def with_members(self, members: Members) -> AdministeredSite:
        """The site if these were set; the environment goes before them."""
        free = {
            name: value
            for name, value in members.items()
            if name in self._defaults and name not in self._fixed
        }
        return AdministeredSite.model_validate(
            {**merged(self._defaults, free), "fixed": self._fixed}
        )

    async def follow(self, version: int) -> None:
        """Reads the members that administrators have set, if there is another version of them."""
        if version != self.version:
            members = await site_rows.members(self._database.probe)
            self.version = version
            self.pages = pages_of(members)
            self._take(self.with_members(members), members.get("mails", {}))

    def _terms(self, slug: str | None) -> TermsVersion | None:
        page = next((page for page in self.pages if page.slug == slug), None)
        return None if page is None else TermsVersion(page.slug, page.version)

    def _take(self, site: AdministeredSite, mails: OwnTexts) -> None:
        self.record = site
        self._settings.take(
            site_name=site.name,
            currency=site.currency,
            price_decimals=site.price_decimals,
            country=site.country,
            languages=tuple(site.languages),
            contact=ContactVisibility(site.contact),
            registration=RegistrationMode(site.registration),
            theme_accent=site.colors.accent,
            site_icon=site.icon,
            mail_texts=mails,
            terms=self._terms(site.terms_page),
            features_off=tuple(each for each in Feature if not getattr(site.features, each)),
        )
        # Answers have been made with other settings.
        self._database.changes.apply_all()

    async def change(self, request: AccountRequest, sent: Members) -> Written:
        """`sent` is a merge patch. `FixedByEnvironmentError`, `InvalidRequestError`."""
        before = await site_rows.members(request.transaction, locks=True)
        request.expected.require(version_of(_written(self.with_members(before))))
        after = merged(before, sent)
        return await self.replace(request.transaction, before, after, request.user.id)

    async def replace_picture(
        self,
        request: AccountRequest,
        store: ImageStore,
        member: SitePicture,
        received: ReceivedImages,
    ) -> Written:
        """As `change`. The picture before it stays in the store, for an undo."""
        storing = PictureStoring(request.transaction, self._settings, store)
        is_icon = member is SitePicture.ICON
        stored, _ = await storing.store_one(received, variants=False, icon=is_icon)
        return await self.change(request, {member.value: IMAGE_PATH + stored.name})

    async def write_mail(self, request: AccountRequest, kind: str, sent: UpdateMail) -> MailTexts:
        """Replaces the texts of that kind. `InvalidRequestError` if a placeholder is none."""
        texts = sent.model_dump()
        faults_found = [
            faults.wrong_format(fault).at(f"/{name}")
            for name, by_language in texts.items()
            for text in by_language.values()
            if (fault := fault_of(text, kind)) is not None
        ]
        if faults_found:
            raise InvalidRequestError(*faults_found)
        db = request.transaction
        before = await site_rows.members(db, locks=True)
        mails = {**before.get("mails", {}), kind: texts}
        await self.replace(db, before, {**before, "mails": mails}, request.user.id)
        return mail_texts(mails, kind)

    def page(self, slug: str) -> SitePage:
        """`NotFoundError` if administrators have written none of this name."""
        found = next((page for page in self.pages if page.slug == slug), None)
        if found is None:
            raise NotFoundError(NO_PAGE)
        return found

    async def save_page(self, request: AccountRequest, slug: str, sent: SavePage) -> Written:
        """`FixedByEnvironmentError` for a page that is a file."""
        directory = self._settings.pages_dir
        if directory and any(path.name.split(".")[0] == slug for path in directory.glob("*.md")):
            raise FixedByEnvironmentError("pages_dir")
        if not sent.title:
            raise InvalidRequestError(faults.missing("must have a title").at("/title"))
        if sent.title.keys() != sent.text.keys():
            fault = faults.inconsistent("must have a text in each language of the title")
            raise InvalidRequestError(fault.at("/text"))
        db = request.transaction
        before = await site_rows.members(db, locks=True)
        known = _page_in(before, slug)
        request.expected.require(version_of(_written(known)) if known else None)
        if known is None and len(pages_of(before)) >= MOST_PAGES:
            raise TooManyError(MOST_PAGES, "pages")
        name = PAGE + slug
        version = known.version if known else await site_rows.last_version(db, name) + 1
        page = {**sent.model_dump(), "version": version}
        return await self._put_page(request, before, slug, page)

    async def publish_page(self, request: AccountRequest, slug: str) -> Written:
        before, name = await self._page_to_change(request, slug), PAGE + slug
        version = await site_rows.last_version(request.transaction, name) + 1
        return await self._put_page(request, before, slug, {**before[name], "version": version})

    async def delete_page(self, request: AccountRequest, slug: str) -> None:
        before = await self._page_to_change(request, slug)
        # The terms go with their page.
        gone = {PAGE + slug} | ({"termsPage"} if before.get("termsPage") == slug else set())
        after = {name: value for name, value in before.items() if name not in gone}
        await self.replace(request.transaction, before, after, request.user.id)

    async def _page_to_change(self, request: AccountRequest, slug: str) -> Members:
        members = await site_rows.members(request.transaction, locks=True)
        known = _page_in(members, slug)
        if known is None:
            raise NotFoundError(NO_PAGE)
        request.expected.require(version_of(_written(known)))
        return members

    async def _put_page(
        self, request: AccountRequest, before: Members, slug: str, page: Members
    ) -> Written:
        after = {**before, PAGE + slug: page}
        await self.replace(request.transaction, before, after, request.user.id)
        record = _written(SitePage(slug=slug, **page))
        return Written(record.decode(), version_of(record))

    async def restore(self, request: AccountRequest, change_id: int) -> Written:
        """Brings back the members that a change replaced. `NotFoundError` without such a change."""
        transaction = request.transaction
        before = await site_rows.members(transaction, locks=True)
        replaced = await site_rows.replaced(transaction, change_id)
        if replaced is None:
            raise NotFoundError("There is no change of the site with this id.")
        members = {**before, **replaced}
        after = {name: value for name, value in members.items() if value is not None}
        return await self.replace(transaction, before, after, request.user.id)

    async def set_decimals(
        self, transaction: Transaction, decimals: int, *, actor: str, dry_run: bool
    ) -> Sequence[Row]:
        """Converts all prices: how many each column has, and how many of them are rounded.

        `OperatorError` if one would be above the largest price.
        """
        before = await site_rows.members(transaction, locks=True)
        power = decimals - self.with_members(before).price_decimals
        found = await site_rows.survey(transaction, power)
        if any(row["too_large"] for row in found):
            raise OperatorError(
                f"{sum(row['too_large'] for row in found)} prices would be above {LARGEST_PRICE}."
            )
        if not dry_run:
            after = {**before, "priceDecimals": decimals}
            await self.replace(transaction, before, after, actor, converts=True)
        return found

    async def replace(
        self,
        transaction: Transaction,
        before: Members,
        after: Members,
        actor: int | str,
        *,
        converts: bool = False,
    ) -> Written:
        known = dict.fromkeys((*self._defaults, *before, *after))
        names = [name for name in known if before.get(name) != after.get(name)]
        for name in names:
            wanted = merged(self._defaults, {name: after.get(name)})
            if name in self._fixed and wanted.get(name) != self._defaults[name]:
                raise FixedByEnvironmentError(SETTINGS[name])
        site = self.with_members(after)
        self._check(site, after)
        power = site.price_decimals - self.with_members(before).price_decimals
        if power:
            if not converts and await site_rows.has_ads(transaction):
                raise HasAdsError
            await site_rows.convert(transaction, power)
        if names:
            version = await site_rows.change(
                transaction,
                after,
                {name: before.get(name) for name in names},
                {name: after.get(name) for name in names},
                str(actor),
            )
            audit.record(transaction, AuditKind.SITE_CHANGED, actor=actor, target=version)
            transaction.on_commit(partial(self.follow, version))
        record = _written(site)
        return Written(record.decode(), version_of(record))

    def _check(self, site: AdministeredSite, members: Members) -> None:
        if site.terms_page is not None and PAGE + site.terms_page not in members:
            raise InvalidRequestError(faults.unknown("must be a page").at("/termsPage"))
        texts = (*LANGUAGES, *self._settings.further_languages)
        chosen = {tag.partition("-")[0] for tag in site.languages}
        if "languages" in members and not chosen <= {*texts}:
            fault = faults.unknown(f"the service has texts in {', '.join(texts)} alone")
            raise InvalidRequestError(fault.at("/languages"))
        is_hidden = site.contact == ContactVisibility.HIDDEN
        if is_hidden and self._settings.ad_editors is AdEditors.AUTHENTICATED:
            fault = faults.inconsistent("cannot be hidden where every account may change an ad")
            raise InvalidRequestError(fault.at("/contact"))


async def create_site_invitation(
    request: AccountRequest, sent: CreateInvitation
) -> CreatedInvitation:
    transaction, actor_id = request.transaction, request.user.id
    code = secrets.token_urlsafe(18)
    digest = hashlib.sha256(code.encode()).digest()
    ends = None if sent.expires_at is None else datetime.fromtimestamp(sent.expires_at / 1000, UTC)
    row = await site_rows.add_invitation(transaction, digest, sent.uses, ends)
    audit.record(transaction, AuditKind.INVITATION_CREATED, actor=actor_id, target=row.id)
    return CreatedInvitation(**SiteInvitation.model_validate(row).model_dump(), code=code)


async def delete_site_invitation(request: AccountRequest, invitation_id: int) -> None:
    transaction, actor_id = request.transaction, request.user.id
    if not await site_rows.delete_invitation(transaction, invitation_id):
        raise NotFoundError("There is no invitation with this id.")
    audit.record(transaction, AuditKind.INVITATION_DELETED, actor=actor_id, target=invitation_id)


def mail_texts(written: OwnTexts, kind: str) -> MailTexts:
    names = [*COMMON, *KINDS[kind].names]
    return MailTexts(kind=kind, placeholders=names, **written.get(kind, {}))


def _written(record: AdministeredSite | SitePage) -> bytes:
    return record.model_dump_json(by_alias=True).encode()


def pages_of(members: Members) -> list[SitePage]:
    """In their order."""
    found = [
        SitePage(slug=name.removeprefix(PAGE), **page)
        for name, page in members.items()
        if name.startswith(PAGE)
    ]
    return sorted(found, key=lambda page: (page.position, page.slug))


def _page_in(members: Members, slug: str) -> SitePage | None:
    return next((page for page in pages_of(members) if page.slug == slug), None)


LINK_SECONDS = 30 * 60


async def new_setup_link(database: Database, settings: Settings) -> str | None:
    """The address of the set-up, and the end of links before it. None if there is an
    administrator.
    """
    token = LinkToken.new().text
    async with database.transaction() as transaction:
        is_new = await site_rows.set_link(transaction, token, LINK_SECONDS)
    return f"{settings.link_base}/setup?token={token}" if is_new else None


async def require_setup_link(db: Statements, token: str) -> None:
    if not await site_rows.is_link_valid(db, token):
        raise SetupEndedError


async def set_up(
    request: ClientRequest, credentials: Credentials, site: SiteState, sent: SetUp
) -> User:
    """The first administrator. `SetupEndedError`, or as `users.register` and `SiteState.change`."""
    transaction: Transaction = request.transaction
    if not await site_rows.is_link_valid(transaction, sent.token, locks=True):
        raise SetupEndedError
    user = await users.register(request, credentials, sent)
    await user_rows.set_role(transaction, user.id, Role.ADMIN)
    audit.record(transaction, AuditKind.ROLE_CHANGED, actor=user.id, target=user.id)
    if sent.site is not None:
        members = sent.site.model_dump(mode="json", by_alias=True, exclude_unset=True)
        before = await site_rows.members(transaction, locks=True)
        await site.replace(transaction, before, merged(before, members), user.id)
    # To read the file takes as long as many requests.
    tree = await asyncio.to_thread(starter, StarterTree(sent.categories))
    await changes.load(transaction, tree, actor=user.id)
    await site_rows.void_link(transaction)
    return user
