from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.role import Role, check_role
from ..types import Record

T = TypeVar("T", bound="User")


@_attrs_define
class User(Record):
    """The caller's own account.

    Attributes:
        id (int): The account's id.
        email (str): The user name as typed at registration, which need not be a mail address.
        first_name (str): First name; may be empty.
        last_name (str): Last name; may be empty.
        phone (str): Phone number; may be empty.
        role (Role): What an account may do: `USER` manages its own things, `MODERATOR` also decides cases, `ADMIN` may
            do everything.
        image (None | str): Path of the avatar. Null if there is none.
        mail (None | str): The account's mail address. Null if there is none. A new address appears here once it is
            confirmed, or at once if the one before was not.
        mail_verified (bool): Whether `mail` was confirmed by the link sent to it.
        totp (bool): Whether an authenticator app is set up, so that a login needs a code.
        recovery_codes_left (int): How many recovery codes are unused.
        storage_used (int): Bytes used by the pictures of the account's ads and by its avatar.
        storage_quota (int | None): Bytes that these pictures may use. Null if there is no limit.
    """

    id: int
    email: str
    first_name: str
    last_name: str
    phone: str
    role: Role
    image: None | str
    mail: None | str
    mail_verified: bool
    totp: bool
    recovery_codes_left: int
    storage_used: int
    storage_quota: int | None
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

        mail: None | str
        mail = self.mail

        mail_verified = self.mail_verified

        totp = self.totp

        recovery_codes_left = self.recovery_codes_left

        storage_used = self.storage_used

        storage_quota: int | None
        storage_quota = self.storage_quota

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
                "mail": mail,
                "mailVerified": mail_verified,
                "totp": totp,
                "recoveryCodesLeft": recovery_codes_left,
                "storageUsed": storage_used,
                "storageQuota": storage_quota,
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

        def _parse_mail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        mail = _parse_mail(d.pop("mail"))

        mail_verified = d.pop("mailVerified")

        totp = d.pop("totp")

        recovery_codes_left = d.pop("recoveryCodesLeft")

        storage_used = d.pop("storageUsed")

        def _parse_storage_quota(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        storage_quota = _parse_storage_quota(d.pop("storageQuota"))

        user = cls(
            id=id,
            email=email,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=role,
            image=image,
            mail=mail,
            mail_verified=mail_verified,
            totp=totp,
            recovery_codes_left=recovery_codes_left,
            storage_used=storage_used,
            storage_quota=storage_quota,
        )

        user.additional_properties = d
        return user

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
