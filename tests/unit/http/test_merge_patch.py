from typing import Annotated

import pytest
from pydantic import ValidationError

from adsvc.kit.records import MergePatch, absent, may_be_absent


class Patch(MergePatch):
    title: Annotated[str, may_be_absent] = absent()
    place: str | None = absent()


@pytest.mark.parametrize(
    ("sent", "changes"),
    [
        ('{"place": null}', {"place": None}),
        ('{"place": "Kiel"}', {"place": "Kiel"}),
        ('{"title": "Oak"}', {"title": "Oak"}),
    ],
)
def test_null_removes_where_it_may_and_absence_changes_nothing(
    sent: str, changes: dict[str, object]
) -> None:
    assert Patch.model_validate_json(sent).changes() == changes


def test_null_is_refused_where_nothing_can_be_removed() -> None:
    with pytest.raises(ValidationError) as raised:
        Patch.model_validate_json('{"title": null, "place": null}')
    assert [error["loc"] for error in raised.value.errors()] == [("title",)]


def test_no_member_is_required_but_there_has_to_be_one() -> None:
    schema = Patch.model_json_schema()
    assert "required" not in schema
    assert schema["minProperties"] == 1
    assert schema["properties"]["title"]["type"] == "string"
    assert schema["properties"]["place"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
