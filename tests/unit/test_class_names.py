"""One name, one class: a reader who searches for a name finds what it means."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
# To parse all modules takes a second.
CLASS = re.compile(r"^ *class (\w+)[(:]", re.MULTILINE)

# A table and the record of the same thing are a pair with one name, on two floors.
PAIR = ("adsvc/models/", "adsvc/schemas/")


@pytest.mark.heavy
def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file in sorted(SRC.glob("**/*.py")):
        for name in CLASS.findall(file.read_text(encoding="utf-8")):
            places[name].append(file.relative_to(SRC).as_posix())
    shared = {name: files for name, files in places.items() if len(files) > 1}
    pairs = {
        name
        for name, files in shared.items()
        if len(files) == len(PAIR)
        and all(file.startswith(floor) for file, floor in zip(files, PAIR, strict=True))
    }
    assert {name: shared[name] for name in shared.keys() - pairs} == {}
