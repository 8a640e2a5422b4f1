"""The pages for readers: what they lead to is there."""

import re
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Of text, and of pictures.
LINK = re.compile(r"\]\(([^)\s]+)\)|<img [^>]*src=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MOST_LINES = 150
MOST_LINES_OF_OPERATIONS = 220


def anchors(page: str) -> set[str]:
    """As GitHub makes them of headings."""
    kept = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in HEADING.findall(page))
    return {heading.strip().replace(" ", "-") for heading in kept}


@pytest.mark.heavy
def test_links_between_pages_lead_somewhere() -> None:
    others = map(ROOT.glob, ("*.md", "bench/*.md", "clients/*/*.md", "web/*.md", "tests/*.md"))
    pages = [*chain.from_iterable(others), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 40
    for page in pages:
        for link in map("".join, LINK.findall(page.read_text())):
            if link.startswith(("http:", "https:", "mailto:")):
                continue
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), f"{page.name}: {link}"
            if anchor:
                assert anchor in anchors(target.read_text()), f"{page.name}: {link}"


def test_the_contents_of_operations_lead_to_each_of_its_short_pages() -> None:
    contents = (ROOT / "docs" / "operations.md").read_text()
    for page in (ROOT / "docs" / "operations").glob("*.md"):
        assert f"](operations/{page.name}" in contents, page.name
        assert len(page.read_text().splitlines()) <= MOST_LINES_OF_OPERATIONS, page.name


def test_the_readme_is_read_in_three_minutes() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= MOST_LINES
    assert readme.count("<img ") == 2


def test_the_index_of_decisions_lists_each_with_its_title() -> None:
    decisions = ROOT / "docs" / "decisions"
    index = (decisions / "README.md").read_text()
    for record in decisions.glob("0*.md"):
        number, _, title = record.read_text().splitlines()[0].removeprefix("# ").partition(". ")
        assert f"| {number} | [{title}]({record.name}) |" in index
