"""The command `adsvc`.

Exit codes: 0 done, 1 refused or failed with a message that says why, 2 misused.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import typer

from adsvc.errors import AdsvcError
from adsvc_ops.cli import (
    audit,
    backups,
    categories,
    doctor,
    documents,
    images,
    outbox,
    places,
    seed,
    serve,
    users,
)
from adsvc_ops.cli.terminal import say_error

app = typer.Typer(
    name="adsvc",
    help="A classified-ads service. Settings come from ADSVC_* variables or a .env file.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(serve.serve)
app.command()(serve.worker)
app.command()(serve.migrate)
app.add_typer(outbox.app, name="outbox")
app.add_typer(users.app, name="users")
app.add_typer(categories.app, name="categories")
app.add_typer(places.app, name="places")
app.command()(audit.audit)
app.command()(documents.openapi)
# What `make format` needs.
app.command(hidden=True)(documents.settings)
app.command(hidden=True)(documents.metrics)
app.command()(seed.seed)
app.command()(images.sweep)
app.command()(images.adopt)
app.command()(backups.backup)
app.command("backups")(backups.list_backups)
app.command()(backups.prune)
app.command()(backups.restore)
app.command()(backups.verify)
app.command()(doctor.doctor)
app.add_typer(images.app, name="images")


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
