"""The command `adsvc`.

Exit codes: 0 done, 1 refused or failed with a message that says why, 2 misused.
"""

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from adsvc import __version__
from adsvc.errors import AdsvcError
from adsvc_ops.cli.terminal import say, say_error

# Where each command is: the module and the name of its function, or of the group of commands.
COMMANDS = {
    "serve": "serve.serve",
    "worker": "serve.worker",
    "setup-link": "serve.setup_link",
    "migrate": "serve.migrate",
    "outbox": "records.outbox",
    "users": "users.app",
    "categories": "categories.app",
    "places": "site.places",
    "search": "search.app",
    "deletions": "records.deletions",
    "site": "site.site",
    "maintenance": "site.maintenance",
    "access-rules": "site.access_rules",
    "secrets": "site.secrets",
    "audit": "records.audit",
    "openapi": "serve.openapi",
    "seed": "seed.seed",
    "sweep": "images.sweep",
    "adopt": "images.adopt",
    "backup": "backups.backup",
    "backups": "backups.list_backups",
    "prune": "backups.prune",
    "restore": "backups.restore",
    "verify": "backups.verify",
    "doctor": "doctor.doctor",
    "images": "images.app",
}


class _Commands(TyperGroup):
    """Imports the module of a command when it is named: to import all of them takes seconds."""

    def list_commands(self, _ctx: object) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].split(".")
        found = getattr(import_module(f"adsvc_ops.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            return get_group(found)
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(found)
        return cast("TyperCommand", get_command(alone))


app = typer.Typer(
    name="adsvc",
    cls=_Commands,
    help="A classified-ads service. Settings come from ADSVC_* variables or a .env file.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _say_version(requested: bool) -> None:
    if requested:
        say(f"adsvc {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """A classified-ads service. Settings come from ADSVC_* variables or a .env file."""


class _EndedError(SystemExit):
    """Raised at SIGTERM, so that an embedded server is stopped and an unfinished backup removed."""


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    # A second signal does not wait.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise _EndedError


def forget_foreign_home() -> None:
    """`sudo -u` may keep the HOME of another user, where looking for ~/.pgpass would fail."""
    try:
        Path(os.environ.get("HOME", "/"), ".pgpass").exists()
    except PermissionError:
        # Without it the home is that of the user's own entry.
        del os.environ["HOME"]


def main() -> None:
    forget_foreign_home()
    # `serve` and `worker` install their own handler.
    signal.signal(signal.SIGTERM, _end)
    try:
        app()
    except _EndedError:
        # The parent process sees the signal as the cause of the end.
        os.kill(os.getpid(), signal.SIGTERM)
    except AdsvcError as error:
        say_error(error)
        sys.exit(1)
