from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="ProviderLogin")


@_attrs_define
class ProviderLogin(Record):
    """What completes a login at a provider.

    Attributes:
        code (str): The part of the address after `#code=`. It counts once, within ten minutes, in the browser that
            began the login.
        invitation (str | Unset): The code of an invitation, where `registration` of `GET /site` is `invitation`.
        accepted_terms (int | None | Unset): The `version` of `terms` of `GET /site`, where there are any and the person
            accepts them.
    """

    code: str
    invitation: str | Unset = UNSET
    accepted_terms: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        invitation = self.invitation

        accepted_terms: int | None | Unset
        if isinstance(self.accepted_terms, Unset):
            accepted_terms = UNSET
        else:
            accepted_terms = self.accepted_terms

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
            }
        )
        if invitation is not UNSET:
            field_dict["invitation"] = invitation
        if accepted_terms is not UNSET:
            field_dict["acceptedTerms"] = accepted_terms

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        invitation = d.pop("invitation", UNSET)

        def _parse_accepted_terms(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        accepted_terms = _parse_accepted_terms(d.pop("acceptedTerms", UNSET))

        provider_login = cls(
            code=code,
            invitation=invitation,
            accepted_terms=accepted_terms,
        )

        provider_login.additional_properties = d
        return provider_login

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
