"""The trees of errors, and the problems that clients see."""

import re
from collections.abc import Iterator
from types import ModuleType

from adsvc import conflicts, errors
from adsvc.errors import PROBLEMS, AdsvcError
from adsvc.kit import errors as kit_errors


def _tree(kind: type[AdsvcError], *modules: ModuleType, depth: int = 1) -> list[str]:
    names = {module.__name__ for module in modules}
    below = [each for each in kind.__subclasses__() if each.__module__ in names]
    return [
        "    " * depth + kind.__name__,
        *(line for each in below for line in _tree(each, *modules, depth=depth + 1)),
    ]


def _of_kit(kind: type[AdsvcError]) -> Iterator[type[AdsvcError]]:
    yield kind
    for each in kind.__subclasses__():
        if each.__module__ == kit_errors.__name__:
            yield from _of_kit(each)


def _shown(module: ModuleType) -> list[str]:
    lines = re.findall(r"^( +)((?:\w+Error,? ?)+)$", module.__doc__ or "", re.MULTILINE)
    return [indent + name for indent, names in lines for name in re.findall(r"\w+", names)]


def test_the_docstring_of_the_kit_shows_its_tree() -> None:
    assert _shown(kit_errors) == _tree(AdsvcError, kit_errors)


def test_the_docstring_of_the_product_shows_what_it_adds_to_each_error_of_the_kit() -> None:
    trees = [_tree(kind, errors, conflicts) for kind in _of_kit(AdsvcError)]
    assert _shown(errors) == [line for tree in trees if len(tree) > 1 for line in tree]


def test_every_problem_is_explained() -> None:
    for problem in PROBLEMS:
        assert problem.status in range(400, 600), problem
        assert problem.title, problem
        assert problem.explanation.endswith("."), problem
        assert "__doc__" in vars(problem), problem
