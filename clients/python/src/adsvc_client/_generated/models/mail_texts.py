from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.mail_texts_kind import MailTextsKind, check_mail_texts_kind
from ..types import Record

if TYPE_CHECKING:
    from ..models.mail_texts_intro import MailTextsIntro
    from ..models.mail_texts_subject import MailTextsSubject


T = TypeVar("T", bound="MailTexts")


@_attrs_define
class MailTexts(Record):
    """The texts of mails of one kind that administrators have written.

    Attributes:
        kind (MailTextsKind): What the mail is about: a notification as in the preferences, `verify` (a mail address),
            `reset` (a password), or `login` (from a new place).
        subject (MailTextsSubject): The subject by language. The built-in one is in the others.
        intro (MailTextsIntro): The beginning by language, in place of the first paragraph.
        placeholders (list[str]): The names that both may have in braces. `subject` is the built-in subject.
    """

    kind: MailTextsKind
    subject: MailTextsSubject
    intro: MailTextsIntro
    placeholders: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        subject = self.subject.to_dict()

        intro = self.intro.to_dict()

        placeholders = self.placeholders

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "subject": subject,
                "intro": intro,
                "placeholders": placeholders,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.mail_texts_intro import MailTextsIntro  # noqa: PLC0415
        from ..models.mail_texts_subject import MailTextsSubject  # noqa: PLC0415

        d = dict(src_dict)
        kind = check_mail_texts_kind(d.pop("kind"))

        subject = MailTextsSubject.from_dict(d.pop("subject"))

        intro = MailTextsIntro.from_dict(d.pop("intro"))

        placeholders = cast(list[str], d.pop("placeholders"))

        mail_texts = cls(
            kind=kind,
            subject=subject,
            intro=intro,
            placeholders=placeholders,
        )

        mail_texts.additional_properties = d
        return mail_texts

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
