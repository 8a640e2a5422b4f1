"""What CONTRIBUTING says about a new resource is as the code has it."""

import re
from pathlib import Path

import pytest

from adsvc.api.dependencies.calls import SESSION, Call, Json
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import AdIdPath
from adsvc.schemas.comments import CreateOrUpdateComment

ROOT = Path(__file__).parents[2]
[RECIPE] = re.findall(
    r"^## A new resource\n(.*?)^## ",
    (ROOT / "CONTRIBUTING.md").read_text(),
    re.MULTILINE | re.DOTALL,
)


async def update_note(call: Call[CreateOrUpdateComment], ad_id: AdIdPath) -> None: ...


def test_an_operation_with_a_body_looks_first_for_what_its_path_names() -> None:
    """Otherwise 400, 413 and 415, and 204 of a dry run, say that the thing is there."""
    declared = Router(tag="ads").patch(
        "/{id}",
        operation_id="updateNote",
        summary="Change",
        requires=SESSION,
        body=Json(CreateOrUpdateComment),
    )
    with pytest.raises(TypeError, match="updateNote has a body and names a thing"):
        declared(update_note)


def test_the_examples_stand_in_the_code() -> None:
    examples = re.findall(r"```python\n(.*?)```", RECIPE, re.DOTALL)
    code = [file.read_text() for file in (ROOT / "src/adsvc/api").rglob("*.py")]
    # What stands apart in a block stands apart in the code.
    parts = [part.strip() for example in examples for part in example.split("\n\n\n")]
    assert len(parts) >= 3
    for part in parts:
        assert any(f"\n{part}\n" in one for one in code), part


@pytest.mark.heavy
def test_what_the_recipe_names_is_there() -> None:
    everything = "\n".join(
        file.read_text()
        for directory in ("src", "tests", "alembic")
        for file in (ROOT / directory).rglob("*.py")
    )
    prose = re.sub(r"```.*?```", "", RECIPE, flags=re.DOTALL)
    names = {
        name
        for quoted in re.findall(r"`([^`\n]+)`", prose)
        for name in re.findall(r"\b[A-Za-z]\w*[_A-Z]\w*", quoted)
        if "note" not in quoted.lower()
    }
    assert len(names) > 25
    files = {file.stem for file in ROOT.joinpath("tests").rglob("*.py")}
    assert [one for one in sorted(names - files) if not re.search(rf"\b{one}\b", everything)] == []
