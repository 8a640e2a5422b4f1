from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_status import AdStatus, check_ad_status
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.fault_detail import FaultDetail


T = TypeVar("T", bound="Problem")


@_attrs_define
class Problem(Record):
    """The body of every refusal: problem details (RFC 9457).

    Attributes:
        type_ (str): The kind of problem, for programs. `/problems` explains each.
        title (str): The kind of problem in words; the same for each of its type.
        status (int): The HTTP status of the answer.
        detail (str): What went wrong this time, for the client's developer.
        instance (str): Identifies this occurrence. Its last part is the `X-Request-Id`.
        scope (str | Unset): Only with `/problems#insufficient-scope`: the scope that the key lacks.
        feature (str | Unset): Only with `/problems#feature-off`: what the site does without, as in `features` of `GET
            /site`.
        challenge (str | Unset): Only with `/problems#second-factor-required`: what the code is sent with to `POST
            /login/second-factor`, within five minutes; and with `/problems#link-required`: what the password is sent with
            to `POST /login/oidc/link`, within an hour.
        quota (int | Unset): Only with `/problems#quota-exceeded`: the bytes that may be used.
        used (int | Unset): Only with `/problems#quota-exceeded`: the bytes that are used.
        from_ (AdStatus | Unset): Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft` is
            not published yet. The author marked it `sold` or `withdrawn`; it `expired`; or moderators `suspended` or
            `removed` it.
        allowed (list[str] | Unset): Only with `/problems#illegal-transition`: the steps that this status allows; and
            with `/problems#offer-not-possible`: what the caller may do to the offer.
        until (int | Unset): Only with `/problems#suspended`: when the suspension ends, in milliseconds since
            1970-01-01T00:00Z. Absent if it has no end.
        explanation (str | Unset): Only with `/problems#suspended`: the reasons.
        appeal_token (str | Unset): Only with `/problems#suspended`: reads the decision, and appeals, without a login.
        errors (list[FaultDetail] | Unset): Only with status 400: everything that is wrong, and where.
    """

    type_: str
    title: str
    status: int
    detail: str
    instance: str
    scope: str | Unset = UNSET
    feature: str | Unset = UNSET
    challenge: str | Unset = UNSET
    quota: int | Unset = UNSET
    used: int | Unset = UNSET
    from_: AdStatus | Unset = UNSET
    allowed: list[str] | Unset = UNSET
    until: int | Unset = UNSET
    explanation: str | Unset = UNSET
    appeal_token: str | Unset = UNSET
    errors: list[FaultDetail] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        title = self.title

        status = self.status

        detail = self.detail

        instance = self.instance

        scope = self.scope

        feature = self.feature

        challenge = self.challenge

        quota = self.quota

        used = self.used

        from_: str | Unset = UNSET
        if not isinstance(self.from_, Unset):
            from_ = self.from_

        allowed: list[str] | Unset = UNSET
        if not isinstance(self.allowed, Unset):
            allowed = self.allowed

        until = self.until

        explanation = self.explanation

        appeal_token = self.appeal_token

        errors: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.errors, Unset):
            errors = []
            for errors_item_data in self.errors:
                errors_item = errors_item_data.to_dict()
                errors.append(errors_item)

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
        if scope is not UNSET:
            field_dict["scope"] = scope
        if feature is not UNSET:
            field_dict["feature"] = feature
        if challenge is not UNSET:
            field_dict["challenge"] = challenge
        if quota is not UNSET:
            field_dict["quota"] = quota
        if used is not UNSET:
            field_dict["used"] = used
        if from_ is not UNSET:
            field_dict["from"] = from_
        if allowed is not UNSET:
            field_dict["allowed"] = allowed
        if until is not UNSET:
            field_dict["until"] = until
        if explanation is not UNSET:
            field_dict["explanation"] = explanation
        if appeal_token is not UNSET:
            field_dict["appealToken"] = appeal_token
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

        scope = d.pop("scope", UNSET)

        feature = d.pop("feature", UNSET)

        challenge = d.pop("challenge", UNSET)

        quota = d.pop("quota", UNSET)

        used = d.pop("used", UNSET)

        _from_ = d.pop("from", UNSET)
        from_: AdStatus | Unset
        if isinstance(_from_, Unset):
            from_ = UNSET
        else:
            from_ = check_ad_status(_from_)

        allowed = cast(list[str], d.pop("allowed", UNSET))

        until = d.pop("until", UNSET)

        explanation = d.pop("explanation", UNSET)

        appeal_token = d.pop("appealToken", UNSET)

        _errors = d.pop("errors", UNSET)
        errors: list[FaultDetail] | Unset = UNSET
        if _errors is not UNSET:
            errors = []
            for errors_item_data in _errors:
                errors_item = FaultDetail.from_dict(errors_item_data)

                errors.append(errors_item)

        problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            scope=scope,
            feature=feature,
            challenge=challenge,
            quota=quota,
            used=used,
            from_=from_,
            allowed=allowed,
            until=until,
            explanation=explanation,
            appeal_token=appeal_token,
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
