"""`adsvc categories`. Files of definitions are YAML 1.2, which includes JSON."""

import asyncio
import logging as stdlib_logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from adsvc import errors
from adsvc.enums import AuditKind, StarterTree
from adsvc.kit.db.database import Database
from adsvc.kit.faults import Fault
from adsvc.kit.observability import logging
from adsvc.kit.records import ANYTHING, json_faults
from adsvc.schemas.categories import CategoryFile, NamedCategory
from adsvc.services.categories import changes, reading
from adsvc.services.categories.changes import Change, ChangeKind, parsed, starter_text
from adsvc.services.categories.reading import CategoryMemory
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import database_running, run, with_installation
from adsvc_ops.cli.terminal import say, shown

LARGEST_FILE_BYTES = 2 * 1024 * 1024


def read_definitions(file: Path | None) -> object:
    """The content of the file, or of the starter tree; `OperatorError` with the reason."""
    if file is None:
        return parsed(starter_text(StarterTree.GENERAL), "the starter tree")
    name = shown(str(file))
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise errors.OperatorError(f"{name} cannot be read: {error.strerror}.") from error
    if len(content) > LARGEST_FILE_BYTES:
        raise errors.OperatorError(
            f"{name} is larger than {LARGEST_FILE_BYTES // 1024 // 1024} MiB."
        )
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise errors.OperatorError(
            f"{name} is not UTF-8: byte {error.start} is out of place."
        ) from None
    return parsed(text, name)


app = typer.Typer(
    help="Show the tree of categories, load it from a file, and move ads in it.",
    no_args_is_help=True,
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
        except errors.InvalidRequestError as error:
            raise _refused(_lines(error.faults)) from error
        except errors.CategoryCycleError as error:
            raise _refused(["A category would be its own ancestor."]) from error
    number = sum(change.step is not ChangeKind.UNCHANGED for change in changed)
    if number and not dry_run:
        line = {"actor": OPERATOR, "target": f"{number} categories"}
        trail.warning(AuditKind.CATEGORY_CHANGED.value, extra=line)
    _print(changed, number, dry_run=dry_run)


@app.command()
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The slug of a category.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="That of another one.")],
    delete: Annotated[bool, typer.Option("--delete", help="Then delete FROM.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Only say how many ads would be moved.")] = False,
) -> None:
    """Move all ads of a category to another one, whatever their status.

    Attributes that TO does not define, or does not take, are removed from the ads. Categories below
    FROM stay, with their ads. The service may run meanwhile.
    """

    async def work(database: Database) -> int:
        ads, remaining = 0, 1
        try:
            while remaining:
                async with database.transaction() as transaction:
                    found = await changes.move_ads(
                        transaction, source, target, actor=OPERATOR, dry_run=dry_run
                    )
                if dry_run:
                    return found.remaining
                ads, remaining = ads + found.moved, found.remaining
            if delete:
                async with database.transaction() as transaction:
                    await changes.delete(transaction, source, actor=OPERATOR, expected=ANYTHING)
        except (errors.CategoryNotFoundError, errors.InvalidRequestError) as error:
            raise errors.OperatorError(
                "FROM and TO are two categories that exist; see adsvc categories show."
            ) from error
        except errors.CategoryInUseError as error:
            raise errors.OperatorError(
                f"{source} is not deleted: it has categories below it, or new ads."
            ) from error
        return ads

    ads: int = run(work)
    verb = "Would move" if dry_run else "Moved"
    say(f"{verb} {ads} ads.", to_errors=True)


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


def _refused(lines: Sequence[str]) -> errors.OperatorError:
    more = [f"and {len(lines) - MOST_FAULTS} more"] if len(lines) > MOST_FAULTS else []
    return errors.OperatorError("\n".join(["Nothing was changed.", *lines[:MOST_FAULTS], *more]))


def _print(changed: list[Change], number: int, *, dry_run: bool) -> None:
    for change in changed:
        if change.step is not ChangeKind.UNCHANGED:
            say(change.step, change.slug, ", ".join(change.members))
    verb = "Would change" if dry_run else "Changed"
    say(f"{verb} {number} of {len(changed)} categories.", to_errors=True)
