from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.import_mode import ImportMode, check_import_mode
from ..models.import_status import ImportStatus, check_import_status
from ..types import Record

T = TypeVar("T", bound="Import")


@_attrs_define
class Import(Record):
    """A feed of an account's ads, and how far it has come.

    Attributes:
        id (int): The import's id.
        mode (ImportMode): `full`: the ads that the feed does not have are withdrawn. `partial`: they stay.
        dry_run (bool): Whether nothing is changed: the counts say what would be.
        status (ImportStatus): `waiting`: it would withdraw more than half of the ads, and waits for `POST
            /imports/{id}/confirm`. `replaced`: another one was sent instead of confirming it.
        created_at (int): When it was sent, in milliseconds since 1970-01-01T00:00Z.
        ended_at (int | None): When it ended, in milliseconds since 1970-01-01T00:00Z. Null before.
        rows (int): The rows of the feed.
        unchanged (int): Rows whose ads were as the feed has them: nothing is written.
        pending (int): Rows that are not done, and ads that are to be withdrawn.
        created (int): Rows that have made an ad.
        updated (int): Rows that have changed an ad.
        withdrawn (int): Ads that were withdrawn, because the feed does not have them.
        failed (int): Rows that were refused: `GET /imports/{id}/rows?status=failed` says why.
    """

    id: int
    mode: ImportMode
    dry_run: bool
    status: ImportStatus
    created_at: int
    ended_at: int | None
    rows: int
    unchanged: int
    pending: int
    created: int
    updated: int
    withdrawn: int
    failed: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        mode: str = self.mode

        dry_run = self.dry_run

        status: str = self.status

        created_at = self.created_at

        ended_at: int | None
        ended_at = self.ended_at

        rows = self.rows

        unchanged = self.unchanged

        pending = self.pending

        created = self.created

        updated = self.updated

        withdrawn = self.withdrawn

        failed = self.failed

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "mode": mode,
                "dryRun": dry_run,
                "status": status,
                "createdAt": created_at,
                "endedAt": ended_at,
                "rows": rows,
                "unchanged": unchanged,
                "pending": pending,
                "created": created,
                "updated": updated,
                "withdrawn": withdrawn,
                "failed": failed,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        mode = check_import_mode(d.pop("mode"))

        dry_run = d.pop("dryRun")

        status = check_import_status(d.pop("status"))

        created_at = d.pop("createdAt")

        def _parse_ended_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ended_at = _parse_ended_at(d.pop("endedAt"))

        rows = d.pop("rows")

        unchanged = d.pop("unchanged")

        pending = d.pop("pending")

        created = d.pop("created")

        updated = d.pop("updated")

        withdrawn = d.pop("withdrawn")

        failed = d.pop("failed")

        import_ = cls(
            id=id,
            mode=mode,
            dry_run=dry_run,
            status=status,
            created_at=created_at,
            ended_at=ended_at,
            rows=rows,
            unchanged=unchanged,
            pending=pending,
            created=created,
            updated=updated,
            withdrawn=withdrawn,
            failed=failed,
        )

        import_.additional_properties = d
        return import_

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
