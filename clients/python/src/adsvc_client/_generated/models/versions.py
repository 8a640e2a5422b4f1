from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="Versions")


@_attrs_define
class Versions(Record):
    """What runs.

    Attributes:
        service (str): The version of the service.
        schema_revision (str): The migration of the database.
        database (str): The version of PostgreSQL.
    """

    service: str
    schema_revision: str
    database: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        service = self.service

        schema_revision = self.schema_revision

        database = self.database

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "service": service,
                "schemaRevision": schema_revision,
                "database": database,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        service = d.pop("service")

        schema_revision = d.pop("schemaRevision")

        database = d.pop("database")

        versions = cls(
            service=service,
            schema_revision=schema_revision,
            database=database,
        )

        versions.additional_properties = d
        return versions

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
