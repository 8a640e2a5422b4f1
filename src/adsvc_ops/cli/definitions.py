"""Reads files of category definitions, YAML or JSON (which YAML 1.2 includes)."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from adsvc.errors import OperatorError
from adsvc_ops.cli.terminal import shown

LARGEST_FILE_BYTES = 2 * 1024 * 1024

STARTER = files("adsvc.services.categories") / "starter.yaml"


TIMESTAMP, BOOLEAN = "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool"


class _Loader(yaml.SafeLoader):
    """Without aliases, by which a small file stands for a huge document.

    As YAML 1.2 has it, dates are texts, and `no` is one too: it is the language of Norway.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - as PyYAML has it
        if self.check_event(yaml.AliasEvent):
            problem = "aliases are not taken; write the value out"
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, problem, mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: ANN401
        seen: set[str] = set()
        for key, _ in node.value:
            # What is no text cannot be a key at all, as the base class says.
            if isinstance(key.value, str):
                if key.value in seen:
                    problem = "a key stands here twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag not in {TIMESTAMP, BOOLEAN}]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(BOOLEAN, re.compile("(?:true|false)$"), list("tf"))


def read_definitions(file: Path | None) -> object:
    """What the file holds, or the starter tree without one; `OperatorError` if it is not read."""
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
    try:
        found: object = yaml.load(text, _Loader)  # noqa: S506 - it derives from the safe one
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise OperatorError(f"{name}, {where}{error.problem}.") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise OperatorError(f"{name} is no YAML that can be read.") from None
    return found
