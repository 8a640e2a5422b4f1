from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.account_status import AccountStatus, check_account_status
from ..models.role import Role, check_role
from ..types import Record

T = TypeVar("T", bound="AccountSummary")


@_attrs_define
class AccountSummary(Record):
    """An account as administrators see it.

    Attributes:
        id (int): The account's id.
        email (str): The user name as typed at registration, which need not be a mail address.
        first_name (str): First name; may be empty.
        last_name (str): Last name; may be empty.
        phone (str): Phone number; may be empty.
        role (Role): What an account may do: `USER` manages its own things, `MODERATOR` also decides cases, `ADMIN` may
            do everything.
        image (None | str): Path of the avatar. Null if there is none.
        status (AccountStatus): Whether an account may log in.
        suspended_until (int | None): When the suspension ends, in milliseconds since 1970-01-01T00:00Z. Null if the
            account is not suspended, or without an end.
        created_at (int): When the account was created, in milliseconds since 1970-01-01T00:00Z.
        ads (int): How many ads of the account are active or reserved.
        plan (str): The plan of the account, which decides its limits: one of `GET /site`.
    """

    id: int
    email: str
    first_name: str
    last_name: str
    phone: str
    role: Role
    image: None | str
    status: AccountStatus
    suspended_until: int | None
    created_at: int
    ads: int
    plan: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        email = self.email

        first_name = self.first_name

        last_name = self.last_name

        phone = self.phone

        role: str = self.role

        image: None | str
        image = self.image

        status: str = self.status

        suspended_until: int | None
        suspended_until = self.suspended_until

        created_at = self.created_at

        ads = self.ads

        plan = self.plan

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "email": email,
                "firstName": first_name,
                "lastName": last_name,
                "phone": phone,
                "role": role,
                "image": image,
                "status": status,
                "suspendedUntil": suspended_until,
                "createdAt": created_at,
                "ads": ads,
                "plan": plan,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        email = d.pop("email")

        first_name = d.pop("firstName")

        last_name = d.pop("lastName")

        phone = d.pop("phone")

        role = check_role(d.pop("role"))

        def _parse_image(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        image = _parse_image(d.pop("image"))

        status = check_account_status(d.pop("status"))

        def _parse_suspended_until(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        suspended_until = _parse_suspended_until(d.pop("suspendedUntil"))

        created_at = d.pop("createdAt")

        ads = d.pop("ads")

        plan = d.pop("plan")

        account_summary = cls(
            id=id,
            email=email,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=role,
            image=image,
            status=status,
            suspended_until=suspended_until,
            created_at=created_at,
            ads=ads,
            plan=plan,
        )

        account_summary.additional_properties = d
        return account_summary

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
