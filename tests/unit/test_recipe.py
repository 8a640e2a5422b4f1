"""What CONTRIBUTING says about a new resource is as the code has it."""

import re
from pathlib import Path

import pytest
from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import AdIdPath
from adsvc.schemas.comments import CreateOrUpdateComment

ROOT = Path(__file__).parents[2]
[RECIPE] = re.findall(
    r"^## A new resource\n(.*?)^## ",
    (ROOT / "CONTRIBUTING.md").read_text(),
    re.MULTILINE | re.DOTALL,
)


async def update_note(write: Write[CreateOrUpdateComment], ad_id: AdIdPath) -> None: ...


def test_an_operation_with_a_body_looks_first_for_what_its_path_names() -> None:
    """Otherwise 400, 413 and 415, and 204 of a dry run, say that the thing is there."""
    body = Json(CreateOrUpdateComment)
    declared = Operation(
        APIRouter(), "PATCH", "/{id}", operation_id="updateNote", summary="Change", body=body
    )
    with pytest.raises(TypeError, match="updateNote has a body and names a thing"):
        declared(update_note)
