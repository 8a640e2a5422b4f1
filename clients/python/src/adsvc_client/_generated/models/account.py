from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.account_status import AccountStatus, check_account_status
from ..models.role import Role, check_role
from ..types import Record

if TYPE_CHECKING:
    from ..models.case_summary import CaseSummary
    from ..models.made_decision import MadeDecision
    from ..models.session_record import SessionRecord


T = TypeVar("T", bound="Account")


@_attrs_define
class Account(Record):
    """An account with its sessions, and the cases and decisions about it.

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
        mail (None | str): The account's mail address. Null if there is none.
        mail_verified (bool): Whether that address was confirmed.
        totp (bool): Whether an authenticator app is set up.
        passkeys (int): How many passkeys there are.
        sessions (list[SessionRecord]): Where the account is logged in, the most recently used first.
        cases (list[CaseSummary]): The newest 50 cases about what the account wrote, the newest first.
        decisions (list[MadeDecision]): The newest 50 decisions about the account, the newest first, without dismissed
            reports.
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
    mail: None | str
    mail_verified: bool
    totp: bool
    passkeys: int
    sessions: list[SessionRecord]
    cases: list[CaseSummary]
    decisions: list[MadeDecision]
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

        mail: None | str
        mail = self.mail

        mail_verified = self.mail_verified

        totp = self.totp

        passkeys = self.passkeys

        sessions = []
        for sessions_item_data in self.sessions:
            sessions_item = sessions_item_data.to_dict()
            sessions.append(sessions_item)

        cases = []
        for cases_item_data in self.cases:
            cases_item = cases_item_data.to_dict()
            cases.append(cases_item)

        decisions = []
        for decisions_item_data in self.decisions:
            decisions_item = decisions_item_data.to_dict()
            decisions.append(decisions_item)

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
                "mail": mail,
                "mailVerified": mail_verified,
                "totp": totp,
                "passkeys": passkeys,
                "sessions": sessions,
                "cases": cases,
                "decisions": decisions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.case_summary import CaseSummary  # noqa: PLC0415
        from ..models.made_decision import MadeDecision  # noqa: PLC0415
        from ..models.session_record import SessionRecord  # noqa: PLC0415

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

        def _parse_mail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        mail = _parse_mail(d.pop("mail"))

        mail_verified = d.pop("mailVerified")

        totp = d.pop("totp")

        passkeys = d.pop("passkeys")

        sessions = []
        _sessions = d.pop("sessions")
        for sessions_item_data in _sessions:
            sessions_item = SessionRecord.from_dict(sessions_item_data)

            sessions.append(sessions_item)

        cases = []
        _cases = d.pop("cases")
        for cases_item_data in _cases:
            cases_item = CaseSummary.from_dict(cases_item_data)

            cases.append(cases_item)

        decisions = []
        _decisions = d.pop("decisions")
        for decisions_item_data in _decisions:
            decisions_item = MadeDecision.from_dict(decisions_item_data)

            decisions.append(decisions_item)

        account = cls(
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
            mail=mail,
            mail_verified=mail_verified,
            totp=totp,
            passkeys=passkeys,
            sessions=sessions,
            cases=cases,
            decisions=decisions,
        )

        account.additional_properties = d
        return account

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
