from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.problem_from_type_0 import ProblemFromType0, check_problem_from_type_0
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.fault_detail import FaultDetail


T = TypeVar("T", bound="Problem")


@_attrs_define
class Problem(Record):
    """Problem details (RFC 9457), the body of every refusal.

    Attributes:
        type_ (str): Identifies the kind of problem; `/problems` explains each.
        title (str):
        status (int):
        detail (str):
        instance (str): Names this occurrence; its last part is the `X-Request-Id`.
        quota (int | None | Unset): With `/problems#quota-exceeded`: how many bytes pictures may take.
        used (int | None | Unset): With `/problems#quota-exceeded`: how many bytes they take.
        from_ (None | ProblemFromType0 | Unset): With `/problems#illegal-transition`: the ad's status.
        allowed (list[str] | None | Unset): With `/problems#illegal-transition`: the operations that it allows.
        errors (list[FaultDetail] | None | Unset): With status 400: what is wrong, and where.
    """

    type_: str
    title: str
    status: int
    detail: str
    instance: str
    quota: int | None | Unset = UNSET
    used: int | None | Unset = UNSET
    from_: None | ProblemFromType0 | Unset = UNSET
    allowed: list[str] | None | Unset = UNSET
    errors: list[FaultDetail] | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        title = self.title

        status = self.status

        detail = self.detail

        instance = self.instance

        quota: int | None | Unset
        if isinstance(self.quota, Unset):
            quota = UNSET
        else:
            quota = self.quota

        used: int | None | Unset
        if isinstance(self.used, Unset):
            used = UNSET
        else:
            used = self.used

        from_: None | str | Unset
        if isinstance(self.from_, Unset):
            from_ = UNSET
        elif isinstance(self.from_, str):
            from_ = self.from_
        else:
            from_ = self.from_

        allowed: list[str] | None | Unset
        if isinstance(self.allowed, Unset):
            allowed = UNSET
        elif isinstance(self.allowed, list):
            allowed = self.allowed

        else:
            allowed = self.allowed

        errors: list[dict[str, Any]] | None | Unset
        if isinstance(self.errors, Unset):
            errors = UNSET
        elif isinstance(self.errors, list):
            errors = []
            for errors_type_0_item_data in self.errors:
                errors_type_0_item = errors_type_0_item_data.to_dict()
                errors.append(errors_type_0_item)

        else:
            errors = self.errors

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "title": title,
                "status": status,
                "detail": detail,
                "instance": instance,
            }
        )
        if quota is not UNSET:
            field_dict["quota"] = quota
        if used is not UNSET:
            field_dict["used"] = used
        if from_ is not UNSET:
            field_dict["from"] = from_
        if allowed is not UNSET:
            field_dict["allowed"] = allowed
        if errors is not UNSET:
            field_dict["errors"] = errors

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.fault_detail import FaultDetail  # noqa: PLC0415

        d = dict(src_dict)
        type_ = d.pop("type")

        title = d.pop("title")

        status = d.pop("status")

        detail = d.pop("detail")

        instance = d.pop("instance")

        def _parse_quota(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        quota = _parse_quota(d.pop("quota", UNSET))

        def _parse_used(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        used = _parse_used(d.pop("used", UNSET))

        def _parse_from_(data: object) -> None | ProblemFromType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                from_type_0 = check_problem_from_type_0(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ProblemFromType0 | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))

        def _parse_allowed(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                allowed_type_0 = cast(list[str], data)

                return allowed_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        allowed = _parse_allowed(d.pop("allowed", UNSET))

        def _parse_errors(data: object) -> list[FaultDetail] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                errors_type_0 = []
                _errors_type_0 = data
                for errors_type_0_item_data in _errors_type_0:
                    errors_type_0_item = FaultDetail.from_dict(errors_type_0_item_data)

                    errors_type_0.append(errors_type_0_item)

                return errors_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[FaultDetail] | None | Unset, data)

        errors = _parse_errors(d.pop("errors", UNSET))

        problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            quota=quota,
            used=used,
            from_=from_,
            allowed=allowed,
            errors=errors,
        )

        problem.additional_properties = d
        return problem

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
