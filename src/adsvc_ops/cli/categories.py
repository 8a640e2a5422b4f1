"""`adsvc categories`. Files of definitions are YAML 1.2, which includes JSON."""

import asyncio
import logging as stdlib_logging
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from adsvc.api.problems.handlers import json_faults
from adsvc.db.database import Database
from adsvc.enums import AuditKind
from adsvc.errors import CategoryCycleError, Fault, InvalidRequestError, OperatorError
from adsvc.observability import logging
from adsvc.schemas.categories import CategoryFile, NamedCategory
from adsvc.services.categories import changes, reading
from adsvc.services.categories.changes import Change, ChangeKind
from adsvc.services.categories.reading import CategoryMemory
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import database_running, run, with_installation
from adsvc_ops.cli.terminal import say, shown

LARGEST_FILE_BYTES = 2 * 1024 * 1024
STARTER = files("adsvc.services.categories") / "starter.yaml"


def read_definitions(file: Path | None) -> object:
    """The content of the file, or of the starter tree; `OperatorError` with the reason."""
    if file is None:
        return _parsed(STARTER.read_text("utf-8"), "the starter tree")
    name = shown(str(file))
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise OperatorError(f"{name} cannot be read: {error.strerror}.") from error
    if len(content) > LARGEST_FILE_BYTES:
        raise OperatorError(f"{name} is larger than {LARGEST_FILE_BYTES // 1024 // 1024} MiB.")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise OperatorError(f"{name} is not UTF-8: byte {error.start} is out of place.") from None
    return _parsed(text, name)


def _parsed(text: str, name: str) -> object:
    # `adsvc serve`, which imports this module, has no use for it.
    from ruamel.yaml import YAML  # noqa: PLC0415
    from ruamel.yaml.composer import Composer, ComposerError  # noqa: PLC0415
    from ruamel.yaml.constructor import DuplicateKeyError, SafeConstructor  # noqa: PLC0415
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415
    from ruamel.yaml.events import AliasEvent  # noqa: PLC0415

    class WithoutAliases(Composer):
        def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - as ruamel.yaml
            """Refuses aliases, by which a small file stands for a huge document."""
            if self.parser.check_event(AliasEvent):
                problem = "aliases are not taken; write the value out"
                raise ComposerError(None, None, problem, self.parser.peek_event().start_mark)
            return super().compose_node(parent, index)

    class WithoutDates(SafeConstructor):
        """Leaves dates as text, as JSON has them."""

    WithoutDates.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)

    loader = YAML(typ="safe", pure=True)
    loader.Composer, loader.Constructor = WithoutAliases, WithoutDates
    try:
        found: object = loader.load(text)
    except MarkedYAMLError as error:
        mark, problem = error.problem_mark, error.problem
        if isinstance(error, DuplicateKeyError):
            problem = "a key stands here twice"
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise OperatorError(f"{name}, {where}{problem}.") from None
    except (YAMLError, RecursionError, ValueError):
        raise OperatorError(f"{name} is no YAML that can be read.") from None
    return found


app = typer.Typer(
    help="Show the tree of categories, and load it from a file.", no_args_is_help=True
)

OPERATOR = "operator"
MOST_FAULTS = 20

trail = stdlib_logging.getLogger("adsvc.audit")


@app.command()
def show() -> None:
    """Print the tree: slug, name, ads to be seen in it and below it, attributes; tab-separated."""

    async def work(database: Database) -> None:
        tree = await CategoryMemory(database).tree()
        for category in (await reading.categories(database.reader, tree)).results:
            depth = "  " * (len(tree.path(category.slug)) - 1)
            own = [one for one in category.attributes if not one.inherited]
            attributes = ", ".join(f"{one.name}:{one.type}" for one in own)
            say(f"{depth}{category.slug}", category.name, category.count, attributes)

    run(work)


@app.command()
def load(
    file: Annotated[
        Path | None, typer.Argument(help="YAML or JSON; see docs/operations/site.md.")
    ] = None,
    starter: Annotated[
        bool, typer.Option("--starter", help="Load the tree that comes with adsvc.")
    ] = False,
    dry_run: Annotated[bool, typer.Option(help="Only say what would change.")] = False,
) -> None:
    """Add and change the categories of a file, all of them or none, and say what changes.

    Categories that the file does not have stay as they are. Doing it again changes nothing.
    """
    if starter is (file is not None):
        raise typer.BadParameter("name a file, or say --starter")
    categories = categories_in(file)

    async def work(database: Database) -> list[Change]:
        return await load_categories(database, categories, dry_run=dry_run)

    given = load_settings()
    logging.configure(given.log_format)
    with database_running(given) as settings:
        try:
            changed = asyncio.run(with_installation(settings, work))
        except InvalidRequestError as error:
            raise _refused(_lines(error.faults)) from error
        except CategoryCycleError as error:
            raise _refused(["A category would be its own ancestor."]) from error
    number = sum(change.step is not ChangeKind.UNCHANGED for change in changed)
    if number and not dry_run:
        line = {"actor": OPERATOR, "target": f"{number} categories"}
        trail.warning(AuditKind.CATEGORY_CHANGED.value, extra=line)
    _print(changed, number, dry_run=dry_run)


async def load_categories(
    database: Database, categories: list[NamedCategory], *, dry_run: bool = False
) -> list[Change]:
    """The audit trail has each change; the log would have a line for each, too."""
    trail.disabled = True
    try:
        async with database.transaction() as transaction:
            return await changes.load(transaction, categories, actor=OPERATOR, dry_run=dry_run)
    finally:
        trail.disabled = False


def categories_in(file: Path | None) -> list[NamedCategory]:
    """Those of the file, or of the starter tree; `OperatorError` says what is wrong, and where."""
    definitions = read_definitions(file)
    if not isinstance(definitions, dict) or "categories" not in definitions:
        raise _refused(["The file must be a mapping with the key categories."])
    try:
        return CategoryFile.model_validate(definitions).categories
    except ValidationError as error:
        raise _refused(_lines(json_faults(error.errors(include_url=False)))) from None


def _lines(faults: Iterable[Fault]) -> list[str]:
    return [f"{_place(fault.location)}: {fault.detail}" for fault in faults]


def _place(pointer: str) -> str:
    return shown(pointer.strip("/")) or "the file"


def _refused(lines: Sequence[str]) -> OperatorError:
    more = [f"and {len(lines) - MOST_FAULTS} more"] if len(lines) > MOST_FAULTS else []
    return OperatorError("\n".join(["Nothing was changed.", *lines[:MOST_FAULTS], *more]))


def _print(changed: list[Change], number: int, *, dry_run: bool) -> None:
    for change in changed:
        if change.step is not ChangeKind.UNCHANGED:
            say(change.step, change.slug, ", ".join(change.members))
    verb = "Would change" if dry_run else "Changed"
    say(f"{verb} {number} of {len(changed)} categories.", to_errors=True)
