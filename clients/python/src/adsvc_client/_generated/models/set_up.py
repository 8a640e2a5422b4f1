from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.set_up_categories import SetUpCategories, check_set_up_categories
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.update_site import UpdateSite


T = TypeVar("T", bound="SetUp")


@_attrs_define
class SetUp(Record):
    """The first administrator and the site.

    Attributes:
        username (str): The name to log in with; a mail address, for example. Letters and digits of any script, ASCII
            punctuation and single spaces (RFC 8265, UsernameCasePreserved). Upper and lower case are the same name.
        password (str): The password for the new account. Frequent passwords, sequences and passwords made of the
            account's names are refused (`weak-password`).
        token (str): That of the link.
        invitation (str | Unset): The code of an invitation, where `registration` of `GET /site` is `invitation`.
        accepted_terms (int | None | Unset): The `version` of `terms` of `GET /site`, where there are any and the person
            accepts them.
        first_name (str | Unset): First name; may be empty.
        last_name (str | Unset): Last name; may be empty.
        phone (str | Unset): Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write and copy
            it: spaces, dots, slashes, dashes, brackets and a plus sign do not matter. The answer has it in a form whose
            digits, and the plus sign, can be dialled.
        role (Literal['USER'] | Unset): May be left out. Registration makes ordinary accounts only; any other value is
            refused.
        site (None | Unset | UpdateSite): Members of the site that are to differ from the defaults.
        categories (SetUpCategories | Unset): The tree of categories to begin with; `empty` for none.
    """

    username: str
    password: str
    token: str
    invitation: str | Unset = UNSET
    accepted_terms: int | None | Unset = UNSET
    first_name: str | Unset = UNSET
    last_name: str | Unset = UNSET
    phone: str | Unset = UNSET
    role: Literal["USER"] | Unset = UNSET
    site: None | Unset | UpdateSite = UNSET
    categories: SetUpCategories | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.update_site import UpdateSite  # noqa: PLC0415

        username = self.username

        password = self.password

        token = self.token

        invitation = self.invitation

        accepted_terms: int | None | Unset
        if isinstance(self.accepted_terms, Unset):
            accepted_terms = UNSET
        else:
            accepted_terms = self.accepted_terms

        first_name = self.first_name

        last_name = self.last_name

        phone = self.phone

        role = self.role

        site: dict[str, Any] | None | Unset
        if isinstance(self.site, Unset):
            site = UNSET
        elif isinstance(self.site, UpdateSite):
            site = self.site.to_dict()
        else:
            site = self.site

        categories: str | Unset = UNSET
        if not isinstance(self.categories, Unset):
            categories = self.categories

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "username": username,
                "password": password,
                "token": token,
            }
        )
        if invitation is not UNSET:
            field_dict["invitation"] = invitation
        if accepted_terms is not UNSET:
            field_dict["acceptedTerms"] = accepted_terms
        if first_name is not UNSET:
            field_dict["firstName"] = first_name
        if last_name is not UNSET:
            field_dict["lastName"] = last_name
        if phone is not UNSET:
            field_dict["phone"] = phone
        if role is not UNSET:
            field_dict["role"] = role
        if site is not UNSET:
            field_dict["site"] = site
        if categories is not UNSET:
            field_dict["categories"] = categories

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.update_site import UpdateSite  # noqa: PLC0415

        d = dict(src_dict)
        username = d.pop("username")

        password = d.pop("password")

        token = d.pop("token")

        invitation = d.pop("invitation", UNSET)

        def _parse_accepted_terms(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        accepted_terms = _parse_accepted_terms(d.pop("acceptedTerms", UNSET))

        first_name = d.pop("firstName", UNSET)

        last_name = d.pop("lastName", UNSET)

        phone = d.pop("phone", UNSET)

        role = cast(Literal["USER"] | Unset, d.pop("role", UNSET))
        if role != "USER" and not isinstance(role, Unset):
            raise ValueError(f"role must match const 'USER', got '{role}'")

        def _parse_site(data: object) -> None | Unset | UpdateSite:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                site_type_0 = UpdateSite.from_dict(data)

                return site_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UpdateSite, data)

        site = _parse_site(d.pop("site", UNSET))

        _categories = d.pop("categories", UNSET)
        categories: SetUpCategories | Unset
        if isinstance(_categories, Unset):
            categories = UNSET
        else:
            categories = check_set_up_categories(_categories)

        set_up = cls(
            username=username,
            password=password,
            token=token,
            invitation=invitation,
            accepted_terms=accepted_terms,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=role,
            site=site,
            categories=categories,
        )

        set_up.additional_properties = d
        return set_up

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
