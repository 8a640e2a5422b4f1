"""What commands print. Nothing else in `adsvc.cli` writes to a terminal."""

import typer

from adsvc.errors import UnavailableError
from adsvc.schemas.usernames import is_seen


def shown(text: str, *, keep: str = "") -> str:
    """The text with everything escaped, as Python does, that is not seen or moves the cursor.

    A user name could otherwise write lines of its own, or clear the screen. A
    backslash becomes two, so that no name can look like another's escape.
    """
    return "".join(
        character
        if character in keep or (is_seen(character) and character != "\\")
        else character.encode("unicode_escape").decode()
        for character in text
    )


def say(*fields: object, to_errors: bool = False) -> None:
    """One line, the fields parted by tabs."""
    typer.echo("\t".join(shown(str(field)) for field in fields), err=to_errors)


def say_document(text: str) -> None:
    """Lines of this program's own making."""
    typer.echo(shown(text, keep="\n\\"))


def say_error(error: Exception) -> None:
    """Its message may have several lines, in which names are `shown` already.

    What is said to clients, and so says no more than that something cannot be reached, has its
    cause behind it.
    """
    told = str(error)
    if isinstance(error, UnavailableError) and error.__cause__ and told == type(error).detail:
        told = f"{told.removesuffix('.')}: {error.__cause__}"
    typer.echo("adsvc: " + shown(told, keep="\n\\"), err=True)
