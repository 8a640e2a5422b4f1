from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.site_contact import SiteContact, check_site_contact
from ..models.site_registration import SiteRegistration, check_site_registration
from ..types import Record

if TYPE_CHECKING:
    from ..models.colors import Colors
    from ..models.page_link import PageLink
    from ..models.site_banner import SiteBanner
    from ..models.site_features import SiteFeatures
    from ..models.site_headline import SiteHeadline
    from ..models.site_limits import SiteLimits
    from ..models.site_plans import SitePlans
    from ..models.site_provider import SiteProvider
    from ..models.site_section import SiteSection
    from ..models.site_terms import SiteTerms
    from ..models.site_welcome import SiteWelcome


T = TypeVar("T", bound="Site")


@_attrs_define
class Site(Record):
    """The site's name, texts, currency, languages and limits.

    Attributes:
        headline (SiteHeadline): The line at the top of the home page. Empty for the storefront's own.
        welcome (SiteWelcome): A text below the headline, with its line breaks.
        banner (SiteBanner): An announcement on every page.
        logo (None | str): The path of the logo, a picture. Null without one, and for a file of the environment.
        icon (None | str): The path of the icon, a square PNG of 512 pixels. Null for the storefront's own.
        sections (list[SiteSection]): The sections of the home page, in their order. Empty for the storefront's own.
        name (str): The site's name.
        currency (str): The currency of all prices (ISO 4217).
        price_decimals (int): How many digits of a price are behind the decimal mark. Prices are integers in the
            smallest unit: with 2, 1250 is 12.50.
        languages (list[str]): Languages of pages, mails and names in categories (BCP 47), the site's own first.
        contact (SiteContact): `open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for other accounts
            it is empty; they write a message, or read the phone number by `POST /ads/{id}/phone`.
        registration (SiteRegistration): `open`: anyone may register. `invitation`: those with an invitation. `closed`:
            no one, by `POST /register`.
        colors (Colors): The colours of the storefront.
        features (SiteFeatures): What the site offers. Of what it does without, lists are empty, deletions work, and all
            else
            is refused with 403 `feature-off`.
        providers (list[SiteProvider]): What people may sign in with instead of a password. Mostly empty.
        pages (list[PageLink]): The pages that administrators have written, in their order.
        terms (None | SiteTerms): What new accounts accept by `acceptedTerms`, and others by `POST /users/me/terms`
            after each new version. Null without terms.
        push_key (None | str): The site's public key for Web Push, in base64url: the `applicationServerKey` of a
            browser's subscription. Null while it is not known.
        limits (SiteLimits): The limits in force on what clients send. Lengths are in characters, sizes in bytes.
        plans (SitePlans): The limits of each plan, by its name. Accounts have `standard` unless an administrator gave
            them another one; `GET /users/me/limits` says what is left.
        version (str): The version of the interface, as in the header `Adsvc-Version`: `0.3.0`, or `0.3.0-dev` before
            that release.
    """

    headline: SiteHeadline
    welcome: SiteWelcome
    banner: SiteBanner
    logo: None | str
    icon: None | str
    sections: list[SiteSection]
    name: str
    currency: str
    price_decimals: int
    languages: list[str]
    contact: SiteContact
    registration: SiteRegistration
    colors: Colors
    features: SiteFeatures
    providers: list[SiteProvider]
    pages: list[PageLink]
    terms: None | SiteTerms
    push_key: None | str
    limits: SiteLimits
    plans: SitePlans
    version: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.site_terms import SiteTerms  # noqa: PLC0415

        headline = self.headline.to_dict()

        welcome = self.welcome.to_dict()

        banner = self.banner.to_dict()

        logo: None | str
        logo = self.logo

        icon: None | str
        icon = self.icon

        sections = []
        for sections_item_data in self.sections:
            sections_item = sections_item_data.to_dict()
            sections.append(sections_item)

        name = self.name

        currency = self.currency

        price_decimals = self.price_decimals

        languages = self.languages

        contact: str = self.contact

        registration: str = self.registration

        colors = self.colors.to_dict()

        features = self.features.to_dict()

        providers = []
        for providers_item_data in self.providers:
            providers_item = providers_item_data.to_dict()
            providers.append(providers_item)

        pages = []
        for pages_item_data in self.pages:
            pages_item = pages_item_data.to_dict()
            pages.append(pages_item)

        terms: dict[str, Any] | None
        if isinstance(self.terms, SiteTerms):
            terms = self.terms.to_dict()
        else:
            terms = self.terms

        push_key: None | str
        push_key = self.push_key

        limits = self.limits.to_dict()

        plans = self.plans.to_dict()

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "headline": headline,
                "welcome": welcome,
                "banner": banner,
                "logo": logo,
                "icon": icon,
                "sections": sections,
                "name": name,
                "currency": currency,
                "priceDecimals": price_decimals,
                "languages": languages,
                "contact": contact,
                "registration": registration,
                "colors": colors,
                "features": features,
                "providers": providers,
                "pages": pages,
                "terms": terms,
                "pushKey": push_key,
                "limits": limits,
                "plans": plans,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.colors import Colors  # noqa: PLC0415
        from ..models.page_link import PageLink  # noqa: PLC0415
        from ..models.site_banner import SiteBanner  # noqa: PLC0415
        from ..models.site_features import SiteFeatures  # noqa: PLC0415
        from ..models.site_headline import SiteHeadline  # noqa: PLC0415
        from ..models.site_limits import SiteLimits  # noqa: PLC0415
        from ..models.site_plans import SitePlans  # noqa: PLC0415
        from ..models.site_provider import SiteProvider  # noqa: PLC0415
        from ..models.site_section import SiteSection  # noqa: PLC0415
        from ..models.site_terms import SiteTerms  # noqa: PLC0415
        from ..models.site_welcome import SiteWelcome  # noqa: PLC0415

        d = dict(src_dict)
        headline = SiteHeadline.from_dict(d.pop("headline"))

        welcome = SiteWelcome.from_dict(d.pop("welcome"))

        banner = SiteBanner.from_dict(d.pop("banner"))

        def _parse_logo(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        logo = _parse_logo(d.pop("logo"))

        def _parse_icon(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        icon = _parse_icon(d.pop("icon"))

        sections = []
        _sections = d.pop("sections")
        for sections_item_data in _sections:
            sections_item = SiteSection.from_dict(sections_item_data)

            sections.append(sections_item)

        name = d.pop("name")

        currency = d.pop("currency")

        price_decimals = d.pop("priceDecimals")

        languages = cast(list[str], d.pop("languages"))

        contact = check_site_contact(d.pop("contact"))

        registration = check_site_registration(d.pop("registration"))

        colors = Colors.from_dict(d.pop("colors"))

        features = SiteFeatures.from_dict(d.pop("features"))

        providers = []
        _providers = d.pop("providers")
        for providers_item_data in _providers:
            providers_item = SiteProvider.from_dict(providers_item_data)

            providers.append(providers_item)

        pages = []
        _pages = d.pop("pages")
        for pages_item_data in _pages:
            pages_item = PageLink.from_dict(pages_item_data)

            pages.append(pages_item)

        def _parse_terms(data: object) -> None | SiteTerms:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                terms_type_0 = SiteTerms.from_dict(data)

                return terms_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SiteTerms, data)

        terms = _parse_terms(d.pop("terms"))

        def _parse_push_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        push_key = _parse_push_key(d.pop("pushKey"))

        limits = SiteLimits.from_dict(d.pop("limits"))

        plans = SitePlans.from_dict(d.pop("plans"))

        version = d.pop("version")

        site = cls(
            headline=headline,
            welcome=welcome,
            banner=banner,
            logo=logo,
            icon=icon,
            sections=sections,
            name=name,
            currency=currency,
            price_decimals=price_decimals,
            languages=languages,
            contact=contact,
            registration=registration,
            colors=colors,
            features=features,
            providers=providers,
            pages=pages,
            terms=terms,
            push_key=push_key,
            limits=limits,
            plans=plans,
            version=version,
        )

        site.additional_properties = d
        return site

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
