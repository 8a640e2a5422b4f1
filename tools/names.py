#!/usr/bin/env python3
"""Finds identifiers that use an everyday verb as a term, where the field has a word.

    tools/names.py [DIRECTORY …]    # src, tools and tests/support without an argument

Prints each with its place, and ends with 1 if there are any. A word of an identifier counts, in
any case: `_kept_secret`, `AskedFor` and `KEPT` are found. Only where a name is given: definitions,
parameters, imports by another name, and assignments.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIRECTORIES = ("src", "tools", "tests/support")

# What to say instead.
BANNED = {
    "around": "wider, wrapped, or what surrounds",
    "asked": "requested, request, query",
    "asks": "requests",
    "beside": "extra, sibling, already reserved",
    "goes": "can, has",
    "heard": "received",
    "hear": "receive",
    "heed": "apply, enable",
    "judge": "decide, decision",
    "judged": "decided",
    "keeps": "stores, has",
    "kept": "cached, stored, retained",
    "nobody": "the role: no account, no client",
    "patience": "timeout",
    "quietly": "try",
    "somebody": "the role: account, client",
    "soon": "next, pending",
    "spelled": "alias, spelling",
    "standing": "status, position",
    "standings": "positions",
    "stands": "is, has the status",
    "tell": "report, announce",
    "tells": "reports, announces",
    "told": "reported, announced",
    "unbusily": "uncounted",
    "usual": "canonical, default",
    "whose": "owner",
    "widest": "outermost, largest",
}

# Names that stay, with the reason.
EXCEPTIONS = {
    "asked_at": "a column: another name needs a migration, and the version before it would fail",
}

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a module gives, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def banned_word(name: str) -> str | None:
    """The first banned word of the name; None if it has none, or is an exception."""
    if name in EXCEPTIONS:
        return None
    return next((word for word in map(str.lower, WORDS.findall(name)) if word in BANNED), None)


def faults_in(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return [
        f"{path}:{line}: {name}: instead of {word!r}: {BANNED[word]}"
        for line, name in sorted(names_in(tree))
        if (word := banned_word(name)) is not None
    ]


def main(directories: Sequence[str]) -> int:
    roots = [Path(each) for each in directories] or [ROOT / each for each in DIRECTORIES]
    faults = [fault for root in roots for path in root.rglob("*.py") for fault in faults_in(path)]
    print("\n".join(faults) or "No name uses an everyday verb as a term.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
