"""The pages for readers: what they name is there.

Commands with their options, targets of make, settings, files, and what is in those.
"""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from adsvc.settings import Settings
from adsvc_ops.cli import app

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "bench/*.md",
        "clients/*/*.md",
        "web/*.md",
        "tests/*.md",
    )
    for path in ROOT.glob(pattern)
)
# Files of a crontab name the user before the command, and that is called like the program.
CODE = re.compile(
    r"^ *```cron\n.*?^ *```|^ *```\w*\n(.*?)^ *```|`((?:[^`\n]|\n(?!\n))+)`",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"(?:^|\s|bin/)adsvc ((?:[a-z-]|$)[^|&;#\n]*)", re.MULTILINE)
TARGET = re.compile(r"(?:^|\s)make(?: [A-Z]+=\S*)* ([a-z][a-z-]*)", re.MULTILINE)
SETTING = re.compile(r"\bADSVC_[A-Z0-9_]*[A-Z0-9]\b")
OURS = r"(?:alembic|bench|clients|deploy|docs|requirements|src|tests|tools)"
FILE = re.compile(rf"(?:\.ci/run|{OURS}/[\w./@-]*|[\w./-]+\.py)(?=$|::|[\s,])")
# A file, and what stands in it: `kit/db/replica.py`: `Positions`, `Reader.fetch`.
CONTENT = re.compile(r"`([\w/]+\.py)`[:,]((?:(?: and|,)? `[A-Za-z_][\w.]*(?<!\.py)`)+)")
# What the recipe of a resource makes up; what is built; an address of the service.
MADE_UP = re.compile(
    r"(?:^|[/_])notes\.py$|VERSION|^docs/interface$|^src/adsvc/web/?$|^clients/python/\.venv$"
)
NOT_OURS = {"node_modules", ".venv", ".git", "dist", ".cache", "build", ".make"}


@cache
def files() -> frozenset[str]:
    """Of the repository, and its directories."""
    found = set()
    for place, directories, names in os.walk(ROOT):
        directories[:] = [name for name in directories if name not in NOT_OURS]
        found |= {os.path.relpath(Path(place, name), ROOT) for name in (*names, *directories)}
    return frozenset(found)


def code(page: Path) -> Iterator[str]:
    for block, span in CODE.findall(page.read_text()):
        # A line that ends in a backslash goes on, and comments are prose.
        yield re.sub(r"(^|\s)#\s.*", "", block.replace("\\\n", " ")) or " ".join(span.split())


def file_of(name: str) -> str | None:
    """The file that a page means: pages leave out where all of a kind are, mostly the service's."""
    wanted = name.rstrip("/.")
    found = [path for path in files() if path == wanted or path.endswith(f"/{wanted}")]
    return min(found, key=lambda path: (not path.startswith("src/adsvc/"), path), default=None)


def commands() -> dict[tuple[str, ...], set[str]]:
    """The words of each command, and its options."""
    found: dict[tuple[str, ...], set[str]] = {}

    def add(command: Any, words: tuple[str, ...]) -> None:
        options = {name for parameter in command.params for name in parameter.opts}
        found[words] = {*options, "--help"}
        if isinstance(command, TyperGroup):
            context = typer.Context(command)
            for name in command.list_commands(context):
                add(command.get_command(context, name), (*words, name))

    add(typer.main.get_command(app), ())
    return found


def unknown_in(text: str, known: dict[tuple[str, ...], set[str]]) -> Iterator[str]:
    """What there is not, of the commands in a piece of code."""
    for line in COMMAND.findall(text):
        words = re.sub(r"[\])]", " ", line).split()
        command: tuple[str, ...] = ()
        for word in words:
            if (*command, word) not in known:
                break
            command = (*command, word)
        if not command and words[0] not in known[()]:
            yield f"adsvc {line}"
        yield from (
            f"{' '.join(command)} {word}"
            for word in (word.partition("=")[0] for word in words)
            if word.startswith("--") and word not in known[command]
        )


@pytest.mark.heavy
def test_commands_and_their_options_are_there() -> None:
    known = commands()
    assert list(unknown_in("adsvc serv", known)) == ["adsvc serv"]
    assert list(unknown_in("sudo .venv/bin/adsvc serve --prot 1", known)) == ["serve --prot"]
    for page in PAGES:
        for text in code(page):
            assert list(unknown_in(text, known)) == [], page.name


def test_targets_of_make_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        (page.name, name) for page in PAGES for text in code(page) for name in TARGET.findall(text)
    }
    assert len(named) > 30
    assert [(page, name) for page, name in sorted(named) if name not in targets] == []


def test_settings_are_there() -> None:
    known = {f"ADSVC_{name.upper()}" for name in Settings.model_fields}
    # Those of the compose file alone, of the tests of the storefront, and of the clients.
    known |= set(re.findall(r"\$\{(ADSVC_\w+)", (ROOT / "docker-compose.yml").read_text()))
    known |= {"ADSVC_URL", "ADSVC_ADMIN", "ADSVC_BASE_URL", "ADSVC_KEY"}
    named = {(page.name, name) for page in PAGES for name in SETTING.findall(page.read_text())}
    assert len(named) > 200
    assert [(page, name) for page, name in sorted(named) if name not in known] == []


@pytest.mark.heavy
def test_files_are_there() -> None:
    named = {(page, name) for page in PAGES for text in code(page) for name in FILE.findall(text)}
    assert len(named) > 200
    missing = [
        (page.name, name)
        for page, name in sorted(named)
        if not MADE_UP.search(name) and file_of(name) is None
    ]
    assert missing == []


@pytest.mark.heavy
def test_what_is_said_to_be_in_a_file_is_in_it() -> None:
    found = [told for page in PAGES for told in CONTENT.findall(page.read_text())]
    assert len(found) > 20
    for name, symbols in found:
        if MADE_UP.search(name):
            continue
        path = file_of(name)
        assert path is not None, name
        text = (ROOT / path).read_text()
        for symbol in re.findall(r"\w+(?=[.`])", symbols):
            assert re.search(rf"\b{symbol}\b", text), (name, symbol)
