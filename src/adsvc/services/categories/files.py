"""Files of categories, and the trees that come with adsvc."""

from importlib.resources import files
from typing import Any

from adsvc.enums import StarterTree
from adsvc.errors import OperatorError
from adsvc.schemas.categories import CategoryFile, NamedCategory


def starter_text(tree: StarterTree) -> str:
    return (files("adsvc.services.categories") / "starters" / f"{tree}.yaml").read_text("utf-8")


def starter(tree: StarterTree) -> list[NamedCategory]:
    """None for the empty tree."""
    if tree is StarterTree.EMPTY:
        return []
    return CategoryFile.model_validate(parsed(starter_text(tree), tree)).categories


def parsed(text: str, name: str) -> object:
    """YAML 1.2, which includes JSON. `OperatorError` says what is wrong in the file."""
    # Only set-up and commands read such files.
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
