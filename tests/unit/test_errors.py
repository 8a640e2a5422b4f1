"""The tree of errors, and the problems that clients see."""

import re

from adsvc import errors
from adsvc.errors import PROBLEMS, AdsvcError


def _tree(kind: type[AdsvcError], depth: int = 1) -> list[str]:
    below = [each for each in kind.__subclasses__() if each.__module__ == errors.__name__]
    return [
        "    " * depth + kind.__name__,
        *(line for each in below for line in _tree(each, depth + 1)),
    ]


def test_the_docstring_shows_the_tree() -> None:
    shown = re.findall(r"^ +\w+Error$", errors.__doc__ or "", re.MULTILINE)
    assert shown == _tree(AdsvcError)


def test_every_problem_is_explained() -> None:
    for problem in PROBLEMS:
        assert problem.status in range(400, 600), problem
        assert problem.title, problem
        assert problem.explanation.endswith("."), problem
        assert "__doc__" in vars(problem), problem
