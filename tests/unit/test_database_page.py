"""docs/database.md names each trigger, under the heading of its table."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def triggers_of_the_schema() -> set[tuple[str, str]]:
    schema = (ROOT / "alembic/schema.sql").read_text()
    found = re.findall(r"CREATE (?:CONSTRAINT )?TRIGGER (\w+) .*? ON (\w+)", schema)
    return {(table, name) for name, table in found}


def triggers_of_the_page() -> set[tuple[str, str]]:
    page = (ROOT / "docs/database.md").read_text()
    sections = re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    named = {
        (table, name)
        for table, section in sections
        for row in section.splitlines()
        if row.count("|") > 3
        for name in re.findall(r"`(\w+)`", row.split("|")[2])
    }
    # One section is about all tables that have its triggers.
    general = {name for heading, name in named if heading == "Tables with text of accounts"}
    of_several = {(table, name) for table, name in triggers_of_the_schema() if name in general}
    return {one for one in named if one[1] not in general} | of_several


def test_the_page_names_every_trigger_and_no_other() -> None:
    assert triggers_of_the_schema() == triggers_of_the_page()
    assert len(triggers_of_the_schema()) > 30
