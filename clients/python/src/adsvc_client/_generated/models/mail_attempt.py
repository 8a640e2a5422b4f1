from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.mail_attempt_outcome import MailAttemptOutcome, check_mail_attempt_outcome
from ..types import Record

T = TypeVar("T", bound="MailAttempt")


@_attrs_define
class MailAttempt(Record):
    """An attempt to send a mail to an account. What the mail says is not stored.

    Attributes:
        id (int): The attempt's id.
        letter (str): What the mail is about: a letter, or the type of a notification.
        outcome (MailAttemptOutcome): `sent`: the server has taken it. `refused`: it has not, or gave no answer; there
            may be another attempt. `omitted`: `answer` says why nothing was sent.
        answer (str): The server's answer without addresses, or the reason.
        attempt (int): The number of the attempt at this mail.
        message_id (UUID): What the `Message-ID` of the mail begins with.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    letter: str
    outcome: MailAttemptOutcome
    answer: str
    attempt: int
    message_id: UUID
    created_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        letter = self.letter

        outcome: str = self.outcome

        answer = self.answer

        attempt = self.attempt

        message_id = str(self.message_id)

        created_at = self.created_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "letter": letter,
                "outcome": outcome,
                "answer": answer,
                "attempt": attempt,
                "messageId": message_id,
                "createdAt": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        letter = d.pop("letter")

        outcome = check_mail_attempt_outcome(d.pop("outcome"))

        answer = d.pop("answer")

        attempt = d.pop("attempt")

        message_id = UUID(d.pop("messageId"))

        created_at = d.pop("createdAt")

        mail_attempt = cls(
            id=id,
            letter=letter,
            outcome=outcome,
            answer=answer,
            attempt=attempt,
            message_id=message_id,
            created_at=created_at,
        )

        mail_attempt.additional_properties = d
        return mail_attempt

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
