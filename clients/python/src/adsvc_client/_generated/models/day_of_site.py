from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="DayOfSite")


@_attrs_define
class DayOfSite(Record):
    """What was new on a day. Null if it is beyond the newest 10000.

    Attributes:
        date (datetime.date): The day, in UTC.
        accounts (int | None): Accounts that were registered.
        ads (int | None): Ads that were created, of every status.
        messages (int | None): Messages that were sent.
        reports (int | None): Reports of ads, comments, messages and ratings.
    """

    date: datetime.date
    accounts: int | None
    ads: int | None
    messages: int | None
    reports: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        date = self.date.isoformat()

        accounts: int | None
        accounts = self.accounts

        ads: int | None
        ads = self.ads

        messages: int | None
        messages = self.messages

        reports: int | None
        reports = self.reports

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "date": date,
                "accounts": accounts,
                "ads": ads,
                "messages": messages,
                "reports": reports,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        date = datetime.date.fromisoformat(d.pop("date"))

        def _parse_accounts(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        accounts = _parse_accounts(d.pop("accounts"))

        def _parse_ads(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ads = _parse_ads(d.pop("ads"))

        def _parse_messages(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        messages = _parse_messages(d.pop("messages"))

        def _parse_reports(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        reports = _parse_reports(d.pop("reports"))

        day_of_site = cls(
            date=date,
            accounts=accounts,
            ads=ads,
            messages=messages,
            reports=reports,
        )

        day_of_site.additional_properties = d
        return day_of_site

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
