from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.administered_site_contact import (
    AdministeredSiteContact,
    check_administered_site_contact,
)
from ..models.administered_site_registration import (
    AdministeredSiteRegistration,
    check_administered_site_registration,
)
from ..types import Record

if TYPE_CHECKING:
    from ..models.administered_site_banner import AdministeredSiteBanner
    from ..models.administered_site_headline import AdministeredSiteHeadline
    from ..models.administered_site_welcome import AdministeredSiteWelcome
    from ..models.analytics import Analytics
    from ..models.colors import Colors
    from ..models.site_features import SiteFeatures
    from ..models.site_section import SiteSection


T = TypeVar("T", bound="AdministeredSite")


@_attrs_define
class AdministeredSite(Record):
    """What administrators may set of the site, with the values in force.

    Attributes:
        headline (AdministeredSiteHeadline): The line at the top of the home page. Empty for the storefront's own.
        welcome (AdministeredSiteWelcome): A text below the headline, with its line breaks.
        banner (AdministeredSiteBanner): An announcement on every page.
        logo (None | str): The path of the logo, a picture. Null without one, and for a file of the environment.
        icon (None | str): The path of the icon, a square PNG of 512 pixels. Null for the storefront's own.
        sections (list[SiteSection]): The sections of the home page, in their order. Empty for the storefront's own.
        name (str): The site's name.
        currency (str): The currency of all prices (ISO 4217).
        price_decimals (int): How many digits of a price are behind the decimal mark. Prices are integers in the
            smallest unit: with 2, 1250 is 12.50.
        languages (list[str]): Languages of pages, mails and names in categories (BCP 47), the site's own first.
        contact (AdministeredSiteContact): `open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for
            other accounts it is empty; they write a message, or read the phone number by `POST /ads/{id}/phone`.
        registration (AdministeredSiteRegistration): `open`: anyone may register. `invitation`: those with an
            invitation. `closed`: no one, by `POST /register`.
        colors (Colors): The colours of the storefront.
        features (SiteFeatures): What the site offers. Of what it does without, lists are empty, deletions work, and all
            else
            is refused with 403 `feature-off`.
        css (str): Style rules for every page of the storefront, behind its own.
        analytics (Analytics | None): Scripts of others. Null for none.
        embed_origins (list[str]): The origins whose pages may have `GET /embed`, a list of ads, in a frame.
        terms_page (None | str): The page that accounts have to accept. Null for none.
        country (None | str): The country of phone numbers without a country code (ISO 3166-1). Null for none.
        fixed (list[str]): The members that the environment of the service sets: a change of them is refused.
    """

    headline: AdministeredSiteHeadline
    welcome: AdministeredSiteWelcome
    banner: AdministeredSiteBanner
    logo: None | str
    icon: None | str
    sections: list[SiteSection]
    name: str
    currency: str
    price_decimals: int
    languages: list[str]
    contact: AdministeredSiteContact
    registration: AdministeredSiteRegistration
    colors: Colors
    features: SiteFeatures
    css: str
    analytics: Analytics | None
    embed_origins: list[str]
    terms_page: None | str
    country: None | str
    fixed: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.analytics import Analytics  # noqa: PLC0415

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

        css = self.css

        analytics: dict[str, Any] | None
        if isinstance(self.analytics, Analytics):
            analytics = self.analytics.to_dict()
        else:
            analytics = self.analytics

        embed_origins = self.embed_origins

        terms_page: None | str
        terms_page = self.terms_page

        country: None | str
        country = self.country

        fixed = self.fixed

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
                "css": css,
                "analytics": analytics,
                "embedOrigins": embed_origins,
                "termsPage": terms_page,
                "country": country,
                "fixed": fixed,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.administered_site_banner import AdministeredSiteBanner  # noqa: PLC0415
        from ..models.administered_site_headline import AdministeredSiteHeadline  # noqa: PLC0415
        from ..models.administered_site_welcome import AdministeredSiteWelcome  # noqa: PLC0415
        from ..models.analytics import Analytics  # noqa: PLC0415
        from ..models.colors import Colors  # noqa: PLC0415
        from ..models.site_features import SiteFeatures  # noqa: PLC0415
        from ..models.site_section import SiteSection  # noqa: PLC0415

        d = dict(src_dict)
        headline = AdministeredSiteHeadline.from_dict(d.pop("headline"))

        welcome = AdministeredSiteWelcome.from_dict(d.pop("welcome"))

        banner = AdministeredSiteBanner.from_dict(d.pop("banner"))

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

        contact = check_administered_site_contact(d.pop("contact"))

        registration = check_administered_site_registration(d.pop("registration"))

        colors = Colors.from_dict(d.pop("colors"))

        features = SiteFeatures.from_dict(d.pop("features"))

        css = d.pop("css")

        def _parse_analytics(data: object) -> Analytics | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                analytics_type_0 = Analytics.from_dict(data)

                return analytics_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Analytics | None, data)

        analytics = _parse_analytics(d.pop("analytics"))

        embed_origins = cast(list[str], d.pop("embedOrigins"))

        def _parse_terms_page(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        terms_page = _parse_terms_page(d.pop("termsPage"))

        def _parse_country(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        country = _parse_country(d.pop("country"))

        fixed = cast(list[str], d.pop("fixed"))

        administered_site = cls(
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
            css=css,
            analytics=analytics,
            embed_origins=embed_origins,
            terms_page=terms_page,
            country=country,
            fixed=fixed,
        )

        administered_site.additional_properties = d
        return administered_site

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
