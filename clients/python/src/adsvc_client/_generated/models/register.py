from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="Register")


@_attrs_define
class Register(Record):
    """A new account.

    Attributes:
        username (str): The name to log in with; a mail address, for example. Letters and digits of any script, ASCII
            punctuation and single spaces (RFC 8265, UsernameCasePreserved). Upper and lower case are the same name.
        password (str): The password for the new account. Frequent passwords, sequences and passwords made of the
            account's names are refused (`weak-password`).
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
    """

    username: str
    password: str
    invitation: str | Unset = UNSET
    accepted_terms: int | None | Unset = UNSET
    first_name: str | Unset = UNSET
    last_name: str | Unset = UNSET
    phone: str | Unset = UNSET
    role: Literal["USER"] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        username = self.username

        password = self.password

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

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "username": username,
                "password": password,
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

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        username = d.pop("username")

        password = d.pop("password")

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

        register = cls(
            username=username,
            password=password,
            invitation=invitation,
            accepted_terms=accepted_terms,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=role,
        )

        register.additional_properties = d
        return register

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
