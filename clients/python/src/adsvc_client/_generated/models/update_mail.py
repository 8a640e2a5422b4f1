from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.update_mail_intro import UpdateMailIntro
    from ..models.update_mail_subject import UpdateMailSubject


T = TypeVar("T", bound="UpdateMail")


@_attrs_define
class UpdateMail(Record):
    """The texts of a mail. The built-in ones are in the languages that have none.

    Attributes:
        subject (UpdateMailSubject | Unset): The subject.
        intro (UpdateMailIntro | Unset): The beginning, in place of the first paragraph.
    """

    subject: UpdateMailSubject | Unset = UNSET
    intro: UpdateMailIntro | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        subject: dict[str, Any] | Unset = UNSET
        if not isinstance(self.subject, Unset):
            subject = self.subject.to_dict()

        intro: dict[str, Any] | Unset = UNSET
        if not isinstance(self.intro, Unset):
            intro = self.intro.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if subject is not UNSET:
            field_dict["subject"] = subject
        if intro is not UNSET:
            field_dict["intro"] = intro

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.update_mail_intro import UpdateMailIntro  # noqa: PLC0415
        from ..models.update_mail_subject import UpdateMailSubject  # noqa: PLC0415

        d = dict(src_dict)
        _subject = d.pop("subject", UNSET)
        subject: UpdateMailSubject | Unset
        if isinstance(_subject, Unset):
            subject = UNSET
        else:
            subject = UpdateMailSubject.from_dict(_subject)

        _intro = d.pop("intro", UNSET)
        intro: UpdateMailIntro | Unset
        if isinstance(_intro, Unset):
            intro = UNSET
        else:
            intro = UpdateMailIntro.from_dict(_intro)

        update_mail = cls(
            subject=subject,
            intro=intro,
        )

        update_mail.additional_properties = d
        return update_mail

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
