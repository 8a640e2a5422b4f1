from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.account_status import AccountStatus, check_account_status
from ..models.role import Role, check_role
from ..types import Record

if TYPE_CHECKING:
    from ..models.made_decision import MadeDecision


T = TypeVar("T", bound="CaseAuthor")


@_attrs_define
class CaseAuthor(Record):
    """The author of a reported thing, with their history.

    Attributes:
        id (int): The id of the author's account.
        email (str): The author's user name.
        first_name (str): The author's first name; may be empty.
        role (Role): What an account may do: `USER` manages its own things, `MODERATOR` also decides cases, `ADMIN` may
            do everything.
        status (AccountStatus): Whether an account may log in.
        created_at (int): When the account was created, in milliseconds since 1970-01-01T00:00Z.
        ads (int): How many ads of the account are active or reserved.
        cases (int): How many ads and comments of the author were ever reported.
        decisions (list[MadeDecision]): The newest 50 decisions about the author, the newest first, without dismissed
            reports.
    """

    id: int
    email: str
    first_name: str
    role: Role
    status: AccountStatus
    created_at: int
    ads: int
    cases: int
    decisions: list[MadeDecision]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        email = self.email

        first_name = self.first_name

        role: str = self.role

        status: str = self.status

        created_at = self.created_at

        ads = self.ads

        cases = self.cases

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
                "role": role,
                "status": status,
                "createdAt": created_at,
                "ads": ads,
                "cases": cases,
                "decisions": decisions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.made_decision import MadeDecision  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        email = d.pop("email")

        first_name = d.pop("firstName")

        role = check_role(d.pop("role"))

        status = check_account_status(d.pop("status"))

        created_at = d.pop("createdAt")

        ads = d.pop("ads")

        cases = d.pop("cases")

        decisions = []
        _decisions = d.pop("decisions")
        for decisions_item_data in _decisions:
            decisions_item = MadeDecision.from_dict(decisions_item_data)

            decisions.append(decisions_item)

        case_author = cls(
            id=id,
            email=email,
            first_name=first_name,
            role=role,
            status=status,
            created_at=created_at,
            ads=ads,
            cases=cases,
            decisions=decisions,
        )

        case_author.additional_properties = d
        return case_author

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
