from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.site_contact import SiteContact, check_site_contact
from ..types import Record

if TYPE_CHECKING:
    from ..models.site_limits import SiteLimits


T = TypeVar("T", bound="Site")


@_attrs_define
class Site(Record):
    """The site's name, currency, languages and limits.

    Attributes:
        name (str): The site's name.
        currency (str): The currency of all prices (ISO 4217).
        languages (list[str]): Languages of names in categories (BCP 47), the site's own first.
        push_key (None | str): The site's public key for Web Push, in base64url: the `applicationServerKey` of a
            browser's subscription. Null while it is not known.
        contact (SiteContact): `open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for other accounts
            it is empty; they write a message, or read the phone number by `POST /ads/{id}/phone`.
        limits (SiteLimits): The limits in force on what clients send. Lengths are in characters, sizes in bytes.
        version (str): The version of the interface, as in the header `Adsvc-Version`: `0.3.0`, or `0.3.0-dev` before
            that release.
    """

    name: str
    currency: str
    languages: list[str]
    push_key: None | str
    contact: SiteContact
    limits: SiteLimits
    version: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        currency = self.currency

        languages = self.languages

        push_key: None | str
        push_key = self.push_key

        contact: str = self.contact

        limits = self.limits.to_dict()

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "currency": currency,
                "languages": languages,
                "pushKey": push_key,
                "contact": contact,
                "limits": limits,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.site_limits import SiteLimits  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        currency = d.pop("currency")

        languages = cast(list[str], d.pop("languages"))

        def _parse_push_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        push_key = _parse_push_key(d.pop("pushKey"))

        contact = check_site_contact(d.pop("contact"))

        limits = SiteLimits.from_dict(d.pop("limits"))

        version = d.pop("version")

        site = cls(
            name=name,
            currency=currency,
            languages=languages,
            push_key=push_key,
            contact=contact,
            limits=limits,
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
