from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.update_site_contact import UpdateSiteContact, check_update_site_contact
from ..models.update_site_registration import UpdateSiteRegistration, check_update_site_registration
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.analytics import Analytics
    from ..models.update_colors import UpdateColors
    from ..models.update_section import UpdateSection
    from ..models.update_site_banner_type_0 import UpdateSiteBannerType0
    from ..models.update_site_features_type_0 import UpdateSiteFeaturesType0
    from ..models.update_site_headline_type_0 import UpdateSiteHeadlineType0
    from ..models.update_site_welcome_type_0 import UpdateSiteWelcomeType0


T = TypeVar("T", bound="UpdateSite")


@_attrs_define
class UpdateSite(Record):
    """Changes of the site: at least one member. Null brings a default back.

    Attributes:
        name (None | str | Unset): The site's name.
        currency (None | str | Unset): The currency of all prices (ISO 4217). Prices are not converted.
        price_decimals (int | None | Unset): How many digits of a price are behind the decimal mark: 0, 2 or 3. Refused
            while there are ads.
        country (None | str | Unset): The country of phone numbers without a country code (ISO 3166-1).
        languages (list[str] | None | Unset): The languages of the site, the default first. The service has texts in
            `en`, `de` and `ru`.
        contact (UpdateSiteContact | Unset): `open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for
            other accounts it is empty; they write a message, or read the phone number by `POST /ads/{id}/phone`.
        registration (UpdateSiteRegistration | Unset): `open`: anyone may register. `invitation`: those with an
            invitation. `closed`: no one, by `POST /register`.
        headline (None | Unset | UpdateSiteHeadlineType0): The line at the top of the home page; null removes a
            language.
        welcome (None | Unset | UpdateSiteWelcomeType0): A text below the headline.
        banner (None | Unset | UpdateSiteBannerType0): An announcement on every page.
        sections (list[UpdateSection] | None | Unset): The sections of the home page, in their order.
        colors (None | Unset | UpdateColors): Other colours.
        css (None | str | Unset): Style rules for every page of the storefront. They load nothing from elsewhere.
        analytics (Analytics | None | Unset): Scripts of others, which every page loads. Null for none.
        embed_origins (list[str] | None | Unset): The origins whose pages may have `GET /embed`, a list of ads, in a
            frame.
        terms_page (None | str | Unset): The slug of a page that accounts have to accept: new ones when they are made,
            others before their next change, and again after each `POST /admin/pages/{slug}/publish`.
        features (None | Unset | UpdateSiteFeaturesType0): What the site offers; others stay as they are.
    """

    name: None | str | Unset = UNSET
    currency: None | str | Unset = UNSET
    price_decimals: int | None | Unset = UNSET
    country: None | str | Unset = UNSET
    languages: list[str] | None | Unset = UNSET
    contact: UpdateSiteContact | Unset = UNSET
    registration: UpdateSiteRegistration | Unset = UNSET
    headline: None | Unset | UpdateSiteHeadlineType0 = UNSET
    welcome: None | Unset | UpdateSiteWelcomeType0 = UNSET
    banner: None | Unset | UpdateSiteBannerType0 = UNSET
    sections: list[UpdateSection] | None | Unset = UNSET
    colors: None | Unset | UpdateColors = UNSET
    css: None | str | Unset = UNSET
    analytics: Analytics | None | Unset = UNSET
    embed_origins: list[str] | None | Unset = UNSET
    terms_page: None | str | Unset = UNSET
    features: None | Unset | UpdateSiteFeaturesType0 = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.analytics import Analytics  # noqa: PLC0415
        from ..models.update_colors import UpdateColors  # noqa: PLC0415
        from ..models.update_site_banner_type_0 import UpdateSiteBannerType0  # noqa: PLC0415
        from ..models.update_site_features_type_0 import UpdateSiteFeaturesType0  # noqa: PLC0415
        from ..models.update_site_headline_type_0 import UpdateSiteHeadlineType0  # noqa: PLC0415
        from ..models.update_site_welcome_type_0 import UpdateSiteWelcomeType0  # noqa: PLC0415

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        currency: None | str | Unset
        if isinstance(self.currency, Unset):
            currency = UNSET
        else:
            currency = self.currency

        price_decimals: int | None | Unset
        if isinstance(self.price_decimals, Unset):
            price_decimals = UNSET
        else:
            price_decimals = self.price_decimals

        country: None | str | Unset
        if isinstance(self.country, Unset):
            country = UNSET
        else:
            country = self.country

        languages: list[str] | None | Unset
        if isinstance(self.languages, Unset):
            languages = UNSET
        elif isinstance(self.languages, list):
            languages = self.languages

        else:
            languages = self.languages

        contact: str | Unset = UNSET
        if not isinstance(self.contact, Unset):
            contact = self.contact

        registration: str | Unset = UNSET
        if not isinstance(self.registration, Unset):
            registration = self.registration

        headline: dict[str, Any] | None | Unset
        if isinstance(self.headline, Unset):
            headline = UNSET
        elif isinstance(self.headline, UpdateSiteHeadlineType0):
            headline = self.headline.to_dict()
        else:
            headline = self.headline

        welcome: dict[str, Any] | None | Unset
        if isinstance(self.welcome, Unset):
            welcome = UNSET
        elif isinstance(self.welcome, UpdateSiteWelcomeType0):
            welcome = self.welcome.to_dict()
        else:
            welcome = self.welcome

        banner: dict[str, Any] | None | Unset
        if isinstance(self.banner, Unset):
            banner = UNSET
        elif isinstance(self.banner, UpdateSiteBannerType0):
            banner = self.banner.to_dict()
        else:
            banner = self.banner

        sections: list[dict[str, Any]] | None | Unset
        if isinstance(self.sections, Unset):
            sections = UNSET
        elif isinstance(self.sections, list):
            sections = []
            for sections_type_0_item_data in self.sections:
                sections_type_0_item = sections_type_0_item_data.to_dict()
                sections.append(sections_type_0_item)

        else:
            sections = self.sections

        colors: dict[str, Any] | None | Unset
        if isinstance(self.colors, Unset):
            colors = UNSET
        elif isinstance(self.colors, UpdateColors):
            colors = self.colors.to_dict()
        else:
            colors = self.colors

        css: None | str | Unset
        if isinstance(self.css, Unset):
            css = UNSET
        else:
            css = self.css

        analytics: dict[str, Any] | None | Unset
        if isinstance(self.analytics, Unset):
            analytics = UNSET
        elif isinstance(self.analytics, Analytics):
            analytics = self.analytics.to_dict()
        else:
            analytics = self.analytics

        embed_origins: list[str] | None | Unset
        if isinstance(self.embed_origins, Unset):
            embed_origins = UNSET
        elif isinstance(self.embed_origins, list):
            embed_origins = self.embed_origins

        else:
            embed_origins = self.embed_origins

        terms_page: None | str | Unset
        if isinstance(self.terms_page, Unset):
            terms_page = UNSET
        else:
            terms_page = self.terms_page

        features: dict[str, Any] | None | Unset
        if isinstance(self.features, Unset):
            features = UNSET
        elif isinstance(self.features, UpdateSiteFeaturesType0):
            features = self.features.to_dict()
        else:
            features = self.features

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if currency is not UNSET:
            field_dict["currency"] = currency
        if price_decimals is not UNSET:
            field_dict["priceDecimals"] = price_decimals
        if country is not UNSET:
            field_dict["country"] = country
        if languages is not UNSET:
            field_dict["languages"] = languages
        if contact is not UNSET:
            field_dict["contact"] = contact
        if registration is not UNSET:
            field_dict["registration"] = registration
        if headline is not UNSET:
            field_dict["headline"] = headline
        if welcome is not UNSET:
            field_dict["welcome"] = welcome
        if banner is not UNSET:
            field_dict["banner"] = banner
        if sections is not UNSET:
            field_dict["sections"] = sections
        if colors is not UNSET:
            field_dict["colors"] = colors
        if css is not UNSET:
            field_dict["css"] = css
        if analytics is not UNSET:
            field_dict["analytics"] = analytics
        if embed_origins is not UNSET:
            field_dict["embedOrigins"] = embed_origins
        if terms_page is not UNSET:
            field_dict["termsPage"] = terms_page
        if features is not UNSET:
            field_dict["features"] = features

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.analytics import Analytics  # noqa: PLC0415
        from ..models.update_colors import UpdateColors  # noqa: PLC0415
        from ..models.update_section import UpdateSection  # noqa: PLC0415
        from ..models.update_site_banner_type_0 import UpdateSiteBannerType0  # noqa: PLC0415
        from ..models.update_site_features_type_0 import UpdateSiteFeaturesType0  # noqa: PLC0415
        from ..models.update_site_headline_type_0 import UpdateSiteHeadlineType0  # noqa: PLC0415
        from ..models.update_site_welcome_type_0 import UpdateSiteWelcomeType0  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_currency(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        currency = _parse_currency(d.pop("currency", UNSET))

        def _parse_price_decimals(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        price_decimals = _parse_price_decimals(d.pop("priceDecimals", UNSET))

        def _parse_country(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        country = _parse_country(d.pop("country", UNSET))

        def _parse_languages(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                languages_type_0 = cast(list[str], data)

                return languages_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        languages = _parse_languages(d.pop("languages", UNSET))

        _contact = d.pop("contact", UNSET)
        contact: UpdateSiteContact | Unset
        if isinstance(_contact, Unset):
            contact = UNSET
        else:
            contact = check_update_site_contact(_contact)

        _registration = d.pop("registration", UNSET)
        registration: UpdateSiteRegistration | Unset
        if isinstance(_registration, Unset):
            registration = UNSET
        else:
            registration = check_update_site_registration(_registration)

        def _parse_headline(data: object) -> None | Unset | UpdateSiteHeadlineType0:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                headline_type_0 = UpdateSiteHeadlineType0.from_dict(data)

                return headline_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UpdateSiteHeadlineType0, data)

        headline = _parse_headline(d.pop("headline", UNSET))

        def _parse_welcome(data: object) -> None | Unset | UpdateSiteWelcomeType0:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                welcome_type_0 = UpdateSiteWelcomeType0.from_dict(data)

                return welcome_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UpdateSiteWelcomeType0, data)

        welcome = _parse_welcome(d.pop("welcome", UNSET))

        def _parse_banner(data: object) -> None | Unset | UpdateSiteBannerType0:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                banner_type_0 = UpdateSiteBannerType0.from_dict(data)

                return banner_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UpdateSiteBannerType0, data)

        banner = _parse_banner(d.pop("banner", UNSET))

        def _parse_sections(data: object) -> list[UpdateSection] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                sections_type_0 = []
                _sections_type_0 = data
                for sections_type_0_item_data in _sections_type_0:
                    sections_type_0_item = UpdateSection.from_dict(sections_type_0_item_data)

                    sections_type_0.append(sections_type_0_item)

                return sections_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[UpdateSection] | None | Unset, data)

        sections = _parse_sections(d.pop("sections", UNSET))

        def _parse_colors(data: object) -> None | Unset | UpdateColors:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                colors_type_0 = UpdateColors.from_dict(data)

                return colors_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UpdateColors, data)

        colors = _parse_colors(d.pop("colors", UNSET))

        def _parse_css(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        css = _parse_css(d.pop("css", UNSET))

        def _parse_analytics(data: object) -> Analytics | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                analytics_type_0 = Analytics.from_dict(data)

                return analytics_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Analytics | None | Unset, data)

        analytics = _parse_analytics(d.pop("analytics", UNSET))

        def _parse_embed_origins(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                embed_origins_type_0 = cast(list[str], data)

                return embed_origins_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        embed_origins = _parse_embed_origins(d.pop("embedOrigins", UNSET))

        def _parse_terms_page(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        terms_page = _parse_terms_page(d.pop("termsPage", UNSET))

        def _parse_features(data: object) -> None | Unset | UpdateSiteFeaturesType0:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                features_type_0 = UpdateSiteFeaturesType0.from_dict(data)

                return features_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UpdateSiteFeaturesType0, data)

        features = _parse_features(d.pop("features", UNSET))

        update_site = cls(
            name=name,
            currency=currency,
            price_decimals=price_decimals,
            country=country,
            languages=languages,
            contact=contact,
            registration=registration,
            headline=headline,
            welcome=welcome,
            banner=banner,
            sections=sections,
            colors=colors,
            css=css,
            analytics=analytics,
            embed_origins=embed_origins,
            terms_page=terms_page,
            features=features,
        )

        update_site.additional_properties = d
        return update_site

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
