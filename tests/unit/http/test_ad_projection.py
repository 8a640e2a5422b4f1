"""The table of an ad's members and the records of the interface have the same names."""

from pydantic import BaseModel

from adsvc.models.accounts import User
from adsvc.models.ads import Ad
from adsvc.repositories.ads.projection import RecordKind, members
from adsvc.schemas import ads
from adsvc.schemas.export import ExportedAd

MEMBERS_OF_ADS = members(RecordKind.AD) + members(RecordKind.EXPORT)


def names_of(record: type[BaseModel]) -> set[str]:
    fields = record.model_fields.items()
    return {field.serialization_alias or name for name, field in fields}


def test_every_record_has_the_members_that_the_table_gives_it() -> None:
    records: dict[RecordKind, type[BaseModel]] = {
        RecordKind.AD | RecordKind.NEAR | RecordKind.MINE | RecordKind.ADMINISTERED: ads.Ad,
        RecordKind.EXTENDED: ads.ExtendedAd,
        RecordKind.EXPORT: ExportedAd,
    }
    for record, model in records.items():
        listed = [member.name for member in members(record)]
        assert len(listed) == len(set(listed)), record
        # Single ads have it beside their record.
        beside = {"favoriteCount", "phoneCount"} if record is RecordKind.EXTENDED else set()
        assert {*listed, *beside} == names_of(model), record


def test_every_member_is_made_of_a_column_that_there_is() -> None:
    for member in [*MEMBERS_OF_ADS, *members(RecordKind.EXTENDED)]:
        table = (User if member.of_author else Ad).__table__
        assert set(member.columns) <= set(table.columns.keys()), member.name
    # Listings join no users.
    assert not any(member.of_author for member in MEMBERS_OF_ADS)
