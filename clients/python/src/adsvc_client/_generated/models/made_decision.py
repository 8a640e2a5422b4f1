from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.decision_action import DecisionAction, check_decision_action
from ..models.decision_ground import DecisionGround, check_decision_ground
from ..models.made_decision_kind import MadeDecisionKind, check_made_decision_kind
from ..models.made_decision_redress_item import (
    MadeDecisionRedressItem,
    check_made_decision_redress_item,
)
from ..types import Record

if TYPE_CHECKING:
    from ..models.appeal import Appeal


T = TypeVar("T", bound="MadeDecision")


@_attrs_define
class MadeDecision(Record):
    """A decision as moderators and administrators see it.

    Attributes:
        id (int): The decision's id.
        at (int): When it was decided, in milliseconds since 1970-01-01T00:00Z.
        action (DecisionAction): What a moderator or an administrator did.
        kind (MadeDecisionKind): What the decision is about.
        target (int): The id of the ad, comment, message, rating or account that it is about.
        excerpt (None | str): The ad's title, or the beginning of the comment, message or rating, as first reported.
            Null for an account.
        ground (DecisionGround | None): What was broken: the law, or the terms of the site. Null if nothing was
            restricted.
        reference (str): The paragraph of the law or of the terms; may be empty.
        explanation (str): The reasons; may be empty if nothing was restricted.
        automated (bool): Whether a program decided. Always false: people decide.
        scope (str): Where the decision is in force: always on the whole site.
        until (int | None): When the decision ends, in milliseconds since 1970-01-01T00:00Z. Null if it has no end of
            its own.
        holds (bool): Whether the decision is in force. False once it was undone, has ended or was replaced by another.
        undoes (int | None): The id of the decision that this one ends. Null if it ends none.
        redress (list[MadeDecisionRedressItem]): What the person concerned can do against it: appeal here (`appeal`),
            turn to a certified body (`disputeSettlement`), or go to court.
        appeal_until (int | None): Until when an appeal is possible, in milliseconds since 1970-01-01T00:00Z. Null if
            none is.
        appeal (Appeal | None): The appeal against it. Null if there is none.
        by (int | None): The id of the account that decided. Null if it was deleted since.
        user (int | None): The id of the account concerned. Null if it was deleted before the report.
        case (int | None): The id of the case. Null if an account was suspended or restored without a case.
    """

    id: int
    at: int
    action: DecisionAction
    kind: MadeDecisionKind
    target: int
    excerpt: None | str
    ground: DecisionGround | None
    reference: str
    explanation: str
    automated: bool
    scope: str
    until: int | None
    holds: bool
    undoes: int | None
    redress: list[MadeDecisionRedressItem]
    appeal_until: int | None
    appeal: Appeal | None
    by: int | None
    user: int | None
    case: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.appeal import Appeal  # noqa: PLC0415

        id = self.id

        at = self.at

        action: str = self.action

        kind: str = self.kind

        target = self.target

        excerpt: None | str
        excerpt = self.excerpt

        ground: None | str
        if isinstance(self.ground, str):
            ground = self.ground
        else:
            ground = self.ground

        reference = self.reference

        explanation = self.explanation

        automated = self.automated

        scope = self.scope

        until: int | None
        until = self.until

        holds = self.holds

        undoes: int | None
        undoes = self.undoes

        redress = []
        for redress_item_data in self.redress:
            redress_item: str = redress_item_data
            redress.append(redress_item)

        appeal_until: int | None
        appeal_until = self.appeal_until

        appeal: dict[str, Any] | None
        if isinstance(self.appeal, Appeal):
            appeal = self.appeal.to_dict()
        else:
            appeal = self.appeal

        by: int | None
        by = self.by

        user: int | None
        user = self.user

        case: int | None
        case = self.case

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "at": at,
                "action": action,
                "kind": kind,
                "target": target,
                "excerpt": excerpt,
                "ground": ground,
                "reference": reference,
                "explanation": explanation,
                "automated": automated,
                "scope": scope,
                "until": until,
                "holds": holds,
                "undoes": undoes,
                "redress": redress,
                "appealUntil": appeal_until,
                "appeal": appeal,
                "by": by,
                "user": user,
                "case": case,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.appeal import Appeal  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        at = d.pop("at")

        action = check_decision_action(d.pop("action"))

        kind = check_made_decision_kind(d.pop("kind"))

        target = d.pop("target")

        def _parse_excerpt(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        excerpt = _parse_excerpt(d.pop("excerpt"))

        def _parse_ground(data: object) -> DecisionGround | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ground_type_0 = check_decision_ground(data)

                return ground_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DecisionGround | None, data)

        ground = _parse_ground(d.pop("ground"))

        reference = d.pop("reference")

        explanation = d.pop("explanation")

        automated = d.pop("automated")

        scope = d.pop("scope")

        def _parse_until(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        until = _parse_until(d.pop("until"))

        holds = d.pop("holds")

        def _parse_undoes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        undoes = _parse_undoes(d.pop("undoes"))

        redress = []
        _redress = d.pop("redress")
        for redress_item_data in _redress:
            redress_item = check_made_decision_redress_item(redress_item_data)

            redress.append(redress_item)

        def _parse_appeal_until(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        appeal_until = _parse_appeal_until(d.pop("appealUntil"))

        def _parse_appeal(data: object) -> Appeal | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                appeal_type_0 = Appeal.from_dict(data)

                return appeal_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Appeal | None, data)

        appeal = _parse_appeal(d.pop("appeal"))

        def _parse_by(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        by = _parse_by(d.pop("by"))

        def _parse_user(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        user = _parse_user(d.pop("user"))

        def _parse_case(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        case = _parse_case(d.pop("case"))

        made_decision = cls(
            id=id,
            at=at,
            action=action,
            kind=kind,
            target=target,
            excerpt=excerpt,
            ground=ground,
            reference=reference,
            explanation=explanation,
            automated=automated,
            scope=scope,
            until=until,
            holds=holds,
            undoes=undoes,
            redress=redress,
            appeal_until=appeal_until,
            appeal=appeal,
            by=by,
            user=user,
            case=case,
        )

        made_decision.additional_properties = d
        return made_decision

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
